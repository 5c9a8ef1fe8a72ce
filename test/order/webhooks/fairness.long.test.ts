import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { type Api, dataOf } from '../../harness/api.ts';
import { startReceiver } from '../../harness/network/receiver.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { type Stack, testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Hanging endpoints don't delay other endpoints (rules 6.8). Two workers send. */
const HANGING_OF_APPLICATION = 20;
const BACKLOG = 3;
const WAIT = { timeout: 60_000, interval: 20 };

/** Starts listening. Returns the URL. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts an endpoint that accepts every message and never answers. */
async function startHanging() {
  const open = new Set<Socket>();
  const close = async () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  const state = { url: '', open, paths: [] as string[], closed: 0, close };
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('data', (data) => state.paths.push(String(data).split(' ')[1]!));
    socket.once('close', () => {
      open.delete(socket);
      state.closed++;
    });
  });
  state.url = await listen(server);
  return state;
}

/** Registers endpoints for an application of its own, and completes batches of it. */
async function fill(stack: Stack, url: string, batches: number): Promise<void> {
  const api = await stack.newApi();
  for (let index = 0; index < HANGING_OF_APPLICATION; index++) await register(api, `${url}/${index}`);
  await completeBatches(api, batches);
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

/** Starts a stack with two workers. */
async function newStack(): Promise<Stack> {
  const { stack } = await testStack({ webhookAllowPrivate: true });
  await stack.startWorker();
  return stack;
}

/** The tests mostly wait, each on a stack of its own, so they wait together. */
describe.concurrent('beside others', async () => {
  const [stackOfHanging, stackOfDead] = await Promise.all([newStack(), newStack()]);
  const hanging = await untilTestsEnd(startHanging());
  const receiver = await untilTestsEnd(startReceiver());
  let isBroken = true;
  const broken = await untilTestsEnd(startReceiver((response) => response.writeHead(isBroken ? 500 : 204).end()));

  it('a healthy endpoint gets all its messages while forty others with backlogs hang', async () => {
    const stack = stackOfHanging;
    await Promise.all([1, 2].map((application) => fill(stack, `${hanging.url}/${application}`, BACKLOG)));
    // Each endpoint has one message in flight, although two workers run and more messages are due.
    await vi.waitFor(() => expect(hanging.paths).toHaveLength(2 * HANGING_OF_APPLICATION), WAIT);
    expect(new Set(hanging.paths).size).toBe(2 * HANGING_OF_APPLICATION);
    const closedBefore = hanging.closed;
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

  it('a dead endpoint has a bounded number of rows, and gets all of its events soon after it recovers', async () => {
    const stack = stackOfDead;
    const api = await stack.newApi();
    const { webhookId } = await register(api, broken.url);
    const [batchOrderId] = await completeBatches(api, 1);
    await broken.awaitCount(1);
    // Inserts a thousand more events of the same batch, as numbering does.
    await sql`
      with counted as (update event_counter set last_position = last_position + 1000 returning last_position)
      insert into event (application_id, position, batch_id, type, happened_time, succeeded, failed, cancelled)
      select application_id, last_position - 1000 + n, batch_id, 'batch.retried', happened_time, 1, 0, 0
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
    const failed = broken.received.length;
    isBroken = false;
    // Simulates that the minute has passed.
    await sql`update webhook_delivery set created_time = created_time - interval '1 hour'`.execute(stack.db);
    await vi.waitFor(
      async () => {
        const { rows } = await sql<{ left: number }>`
          select (select count(*) from event where position > after_position)::int +
            (select count(*) from webhook_delivery where state = 'pending')::int as left
            from webhook`.execute(stack.db);
        expect(rows).toEqual([{ left: 0 }]);
      },
      { timeout: 300_000, interval: 500 },
    );
    expect(new Set(broken.received.slice(failed).map(({ headers }) => headers['webhook-id'])).size).toBe(1_001);
    expect(broken.received.every(({ message }) => message.data.channelOrderId === batchOrderId)).toBe(true);
  }, 700_000);
});
