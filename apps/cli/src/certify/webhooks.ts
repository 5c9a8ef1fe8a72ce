import { setTimeout as sleep } from 'node:timers/promises';
import { type ApplicationId, TEST_TYPE, type WebhookId } from '@lockstep/contract';
import type { Closable, Database } from '@lockstep/platform';
import { resendDelivery } from '@lockstep/webhooks';
import { buildMessage, newSecret } from '@lockstep/webhooks/messages';
import { sql } from 'kysely';
import { ask } from './ask.ts';
import { randomBy, shuffle } from './faults.ts';
import type { Probe } from './record.ts';

const LOOK_EVERY_MS = 500;
/** As long as the service waits for an answer (rules 6.8). */
const ANSWER_TIMEOUT_MS = 15_000;
/** Further off than the five minutes for which a message is valid. */
const OLD_MS = 10 * 60 * 1_000;
/** Above the id of every event, so that no receiver has handled a message of a probe. */
const FIRST_ID = 9_000_000_000_000;

interface Endpoint {
  webhookId: WebhookId;
  applicationId: ApplicationId;
  url: string;
  secret: Buffer;
  deliveryId: string;
}

/**
 * Probes each webhook once, after its first message was delivered: with messages that a receiver must refuse, and by
 * sending that message again. Records the answers to the former in `probes`.
 */
export function probeWebhooks(db: Database, seed: number, probes: Probe[]): Closable {
  const stop = new AbortController();
  const probed = new Set<WebhookId>();
  const probe = async ({ webhookId, applicationId, url, secret, deliveryId }: Endpoint) => {
    for (const kind of shuffle(['forged', 'altered', 'old', 'repeated'] as const, randomBy(`${seed} webhook`))) {
      if (kind === 'repeated') await resendDelivery(db, { applicationId }, webhookId, deliveryId);
      else probes.push(await send(kind, url, secret, webhookId, FIRST_ID + probes.length, stop.signal));
    }
  };
  const running = (async () => {
    while (!stop.signal.aborted) {
      const found = await findEndpoints(db).catch(() => []);
      for (const endpoint of found.filter(({ webhookId }) => !probed.has(webhookId))) {
        probed.add(endpoint.webhookId);
        await probe(endpoint).catch(() => {});
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** Finds the active webhooks that have accepted a message of an event. */
async function findEndpoints(db: Database): Promise<Endpoint[]> {
  const { rows } = await sql<Endpoint>`
    select webhook.id as "webhookId", application_id as "applicationId", url, secret, delivered.id as "deliveryId"
    from webhook cross join lateral (
      select id from webhook_delivery
      where webhook_id = webhook.id and state = 'delivered' and position is not null order by id limit 1
    ) as delivered
    where deleted_time is null and disabled_time is null and paused_time is null order by webhook.id`.execute(db);
  return rows;
}

async function send(
  kind: Probe['kind'],
  url: string,
  secret: Buffer,
  webhookId: string,
  id: number,
  stop: AbortSignal,
): Promise<Probe> {
  const time = Date.now();
  const event = { id: String(id), type: TEST_TYPE, time, data: {} };
  const sentTime = new Date(kind === 'old' ? time - OLD_MS : time);
  const { headers, body } = buildMessage(event, [kind === 'forged' ? newSecret() : secret], sentTime);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
  const given = { method: 'POST', headers, body: kind === 'altered' ? body.replace('{}', '{"a":1}') : body, signal };
  const answer = await ask(url, given).catch(() => undefined);
  answer?.destroy();
  return { kind, time, webhookId, messageId: event.id, status: answer?.statusCode ?? null };
}
