import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Deployment, withDeployment } from '../deployment.ts';
import type { Edition } from '../report/edition.ts';
import { type Bench, type Figures, type Measure, scaled } from './measure.ts';
import { async, measureOrders, type Sending, warmUp } from './orders.ts';

const ANSWERS_MS = [0, 50];
/** More events than a webhook can deliver during the first measurement. */
const BACKLOG = 40_000;
const MEASURED_MS = 10_000;
/** Events added each second in the second measurement, and the interval between additions. */
const OFFERED_PER_SECOND = 500;
const ADD_EVERY_MS = 50;

/**
 * Events a second to an endpoint that answers after a delay, its lag at 500 events a second, and orders a second beside
 * it.
 */
export const webhookMeasures: Measure[] = ANSWERS_MS.flatMap((answerMs) => [
  {
    name: `webhook-${answerMs}ms`,
    of: 'service' as const,
    run: (bench, edition) => measureWebhook(bench, edition, answerMs),
  },
  ...[async(1, 64), async(100, 8)].map((sending) => ({
    name: `async-${sending.ordersPerBatch}x${sending.callers}-webhook-${answerMs}ms`,
    of: 'service' as const,
    run: (bench: Bench, edition: Edition) => measureOrdersBeside(bench, edition, sending, answerMs),
  })),
]);

async function measureWebhook(bench: Bench, edition: Edition, answerMs: number): Promise<Figures> {
  return await withEndpoint(answerMs, (endpoint) =>
    withDeployment(bench, edition, {}, async (deployment) => {
      await warmUp(bench, deployment, 'async', 1);
      const first = await deployment.createWebhook(endpoint.url);
      await addEvents(deployment, scaled(bench, BACKLOG));
      const measuredMs = scaled(bench, MEASURED_MS);
      const before = endpoint.count();
      const beganMs = performance.now();
      await delay(measuredMs);
      const perSecond = (endpoint.count() - before) / ((performance.now() - beganMs) / 1_000);
      await deployment.deleteWebhook(first);
      const second = await deployment.createWebhook(endpoint.url);
      await addSteadily(deployment, measuredMs);
      return { 'events/s': perSecond, 'lag s at 500/s': await readLag(deployment, second) };
    }),
  );
}

async function measureOrdersBeside(
  bench: Bench,
  edition: Edition,
  sending: Sending,
  answerMs: number,
): Promise<Figures> {
  return await withEndpoint(answerMs, (endpoint) =>
    withDeployment(bench, edition, {}, async (deployment) => {
      const webhookId = await deployment.createWebhook(endpoint.url);
      const figures = await measureOrders(bench, deployment, sending);
      return { ...figures, 'lag s': await readLag(deployment, webhookId), 'events delivered': endpoint.count() };
    }),
  );
}

/** Runs work beside an endpoint that answers each message after `answerMs`. */
async function withEndpoint<Result>(
  answerMs: number,
  work: (endpoint: { url: string; count: () => number }) => Promise<Result>,
): Promise<Result> {
  let count = 0;
  const server = createServer((request, response) => {
    const answer = () => {
      count++;
      response.writeHead(204).end();
    };
    request.resume();
    request.on('end', () => (answerMs === 0 ? answer() : setTimeout(answer, answerMs)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, count: () => count });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Inserts events of any batch, as numbering does. */
async function addEvents({ db }: Deployment, count: number): Promise<void> {
  await db.query(
    `with counted as (update event_counter set last_position = last_position + $1 returning last_position)
    insert into event (application_id, position, batch_id, type, completed_time, succeeded, failed, cancelled)
    select application_id, last_position - $1 + n, id, 'batch.retried', now(), 1, 0, 0
    from counted, (select id, application_id from batch limit 1) as any_batch, generate_series(1, $1) as n`,
    [count],
  );
}

async function addSteadily(deployment: Deployment, forMs: number): Promise<void> {
  const beganMs = performance.now();
  let added = 0;
  while (performance.now() - beganMs < forMs) {
    const due = Math.round(((performance.now() - beganMs) / 1_000) * OFFERED_PER_SECOND) - added;
    if (due > 0) await addEvents(deployment, due);
    added += due;
    await delay(ADD_EVERY_MS);
  }
}

/** Returns the age in seconds of the oldest event since the webhook's creation that it hasn't received; 0 if none. */
async function readLag({ db }: Deployment, webhookId: string): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select coalesce(max(extract(epoch from now() - e.created_time)), 0)::float8 as seconds
    from event e join webhook w on w.application_id = e.application_id and e.created_time >= w.created_time
    where w.id = $1 and not exists (
      select from webhook_delivery d where d.webhook_id = w.id and d.position = e.position and d.state = 'delivered')`,
    [webhookId],
  );
  return rows[0]!.seconds;
}
