import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type Api, dataOf } from '../../harness/api.ts';
import { startReceiver } from '../../harness/network/receiver.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { type Stack, testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Hanging endpoints don't delay other endpoints (rules 6.8). Two workers send. */
const HANGING_OF_APPLICATION = 20;
const BACKLOG = 3;
const WAIT = { timeout: 60_000, interval: 20 };

let stack: Stack;

beforeEach(async () => {
  ({ stack } = await testStack({ webhookAllowPrivate: true }));
  await stack.startWorker();
});

/** Starts an endpoint that accepts every message and never answers. */
async function startHanging() {
  const open = new Set<Socket>();
  const paths: string[] = [];
  const state = { url: '', open, paths, closed: 0 };
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('data', (data) => paths.push(String(data).split(' ')[1]!));
    socket.once('close', () => {
      open.delete(socket);
      state.closed++;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return state;
}

/** Starts an endpoint that answers every message after a delay. */
async function startLate(answerAfterMs: number) {
  const state = { url: '', answers: true, answered: [] as string[], open: 0, closed: 0 };
  const server = createHttpServer((request, response) => {
    state.open++;
    response.on('close', () => {
      state.open--;
      state.closed++;
    });
    setTimeout(() => {
      if (!state.answers) return;
      state.answered.push(request.url!);
      response.writeHead(204).end();
    }, answerAfterMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return state;
}

const register = (api: Api, url: string) => api.call('POST', '/webhooks', { body: { url } }).then(dataOf);
async function completeBatches(api: Api, count: number): Promise<string[]> {
  const customer = await api.newCustomer();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const batch = { ...batchOf(newBuy(customer, [newAssetNum()])), syncMode: 'sync' as const };
    await api.accept(batch);
    ids.push(batch.channelOrderId);
  }
  return ids;
}

it('a healthy endpoint gets all its messages while forty others with backlogs hang', async () => {
  const hanging = await startHanging();
  for (const application of [1, 2]) {
    const api = await stack.newApi();
    for (let index = 0; index < HANGING_OF_APPLICATION; index++) {
      await register(api, `${hanging.url}/${application}/${index}`);
    }
    await completeBatches(api, BACKLOG);
  }
  // Each endpoint has one message in flight, although two workers run and more messages are due.
  await vi.waitFor(() => expect(hanging.paths).toHaveLength(2 * HANGING_OF_APPLICATION), WAIT);
  expect(new Set(hanging.paths).size).toBe(2 * HANGING_OF_APPLICATION);
  const closedBefore = hanging.closed;
  const receiver = await untilTestsEnd(startReceiver());
  const good = await stack.newApi();
  await register(good, receiver.url);
  const sent = await completeBatches(good, 10);
  const received = await receiver.awaitCount(sent.length);
  expect(received.map(({ message }) => message.data.channelOrderId).toSorted()).toEqual(sent.toSorted());
  expect({ hungUp: hanging.closed - closedBefore, open: hanging.open.size }).toEqual({
    hungUp: 0,
    open: 2 * HANGING_OF_APPLICATION,
  });
});

it('a healthy endpoint gets its messages while slow endpoints could fill all places of a worker', async () => {
  // If every answering endpoint kept its full share, 32 endpoints would occupy the 64 places of both workers with two
  // messages each.
  const late = await startLate(2_500);
  for (let application = 0; application < 4; application++) {
    const api = await stack.newApi();
    for (let index = 0; index < HANGING_OF_APPLICATION; index++) {
      await register(api, `${late.url}/${application}/${index}`);
    }
    await completeBatches(api, 2 * BACKLOG);
  }
  // Each endpoint has answered once and has received its second message.
  await vi.waitFor(() => expect(new Set(late.answered).size).toBe(4 * HANGING_OF_APPLICATION), {
    timeout: 60_000,
    interval: 20,
  });
  late.answers = false;
  await vi.waitFor(() => expect(late.open).toBeGreaterThanOrEqual(64), WAIT);
  const closedBefore = late.closed;
  const receiver = await untilTestsEnd(startReceiver());
  const good = await stack.newApi();
  await register(good, receiver.url);
  const sent = await completeBatches(good, 10);
  await receiver.awaitCount(sent.length);
  expect(late.closed).toBe(closedBefore);
});

it('a dead endpoint has a bounded number of rows, and gets all of its events soon after it recovers', async () => {
  const api = await stack.newApi();
  let isBroken = true;
  const receiver = await untilTestsEnd(startReceiver((response) => response.writeHead(isBroken ? 500 : 204).end()));
  const { webhookId } = await register(api, receiver.url);
  const [batchOrderId] = await completeBatches(api, 1);
  await receiver.awaitCount(1);
  // Inserts a thousand more events of the same batch, as numbering does.
  await sql`
    with counted as (update event_counter set last_position = last_position + 1000 returning last_position)
    insert into event (application_id, position, batch_id, type, completed_time, succeeded, failed, cancelled)
    select application_id, last_position - 1000 + n, batch_id, 'batch.retried', completed_time, 1, 0, 0
    from counted, event, generate_series(1, 1000) as n`.execute(stack.db);
  const readRows = async () => {
    const { rows } = await sql<{ total: number; tired: number }>`
      select count(*)::int as total, (count(*) filter (where attempts > 1))::int as tired
      from webhook_delivery where webhook_id = ${webhookId}`.execute(stack.db);
    return rows[0]!;
  };
  // After 600 attempts, one at a time, all messages wait at least five minutes.
  await vi.waitFor(
    async () => {
      const { total, tired } = await readRows();
      expect(total).toBeGreaterThanOrEqual(300);
      expect(tired).toBe(total);
    },
    { timeout: 300_000, interval: 200 },
  );
  expect((await readRows()).total).toBeLessThan(400);
  const failed = receiver.received.length;
  isBroken = false;
  // Simulates that the minute has passed.
  await sql`update webhook_delivery set created_time = created_time - interval '1 hour'`.execute(stack.db);
  await vi.waitFor(
    async () => {
      const { rows } = await sql<{ left: number }>`
        select (select count(*) from event where position > after_position)::int +
          (select count(*) from webhook_delivery where state = 'pending')::int as left from webhook`.execute(stack.db);
      expect(rows).toEqual([{ left: 0 }]);
    },
    { timeout: 300_000, interval: 500 },
  );
  expect(new Set(receiver.received.slice(failed).map(({ headers }) => headers['webhook-id'])).size).toBe(1_001);
  expect(receiver.received.every(({ message }) => message.data.channelOrderId === batchOrderId)).toBe(true);
}, 700_000);
