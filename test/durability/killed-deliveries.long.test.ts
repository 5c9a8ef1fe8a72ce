import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { type Receiver, startReceiver } from '../harness/network/receiver.ts';
import { newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { type Stack, testStack } from '../harness/stack.ts';

/** Messages to webhooks when their worker is killed, stops or freezes (rules 6.8). */

let stack: Stack;
let api: Api;
let workers: ServiceProcess[];
/** Whether the endpoint leaves its calls unanswered. */
let hangs: boolean;
let receiver: Receiver;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false, webhookAllowPrivate: true }));
  const env = { DATABASE_URL: stack.url, REDIS_URL: '', WEBHOOK_ALLOW_PRIVATE: 'true' };
  workers = [ServiceProcess.worker(env), ServiceProcess.worker(env)];
  await Promise.all(workers.map((worker) => worker.start()));
  hangs = true;
  receiver = await startReceiver((response) => {
    if (!hangs) response.writeHead(204).end();
  });
  dataOf(await api.call('POST', '/webhooks', { body: { url: receiver.url } }));
});
afterEach(async () => {
  const statuses = await Promise.all(workers.map((worker) => worker.stop()));
  await receiver.close();
  expect(statuses).toEqual([0, 0]);
});

const completeBatches = async (count: number): Promise<string[]> => {
  const customer = await api.newCustomer();
  const send = async () => {
    const batch = syncOf(newBuy(customer, [newAssetNum()]));
    await api.accept(batch);
    return batch.channelOrderId;
  };
  return await Promise.all(Array.from({ length: count }, send));
};
const named = () => receiver.received.map(({ message }) => message.data.channelOrderId as string);
const listPending = () => stack.db.selectFrom('webhook_delivery').select('id').where('state', '=', 'pending').execute();

it('messages that killed workers were sending are sent again, with the same IDs', async () => {
  const sent = await completeBatches(5);
  await receiver.awaitCount(1);
  await Promise.all(workers.map((worker) => worker.kill()));
  await receiver.untilAlone();
  const interrupted = receiver.received.map(({ headers }) => headers['webhook-id']);
  hangs = false;
  // As when the time of a claim is over.
  await sql`update webhook_delivery set claimed_until = now() where claimed_until is not null`.execute(stack.db);
  await Promise.all(workers.map((worker) => worker.start()));
  await expect.poll(listPending).toEqual([]);
  expect(new Set(named())).toEqual(new Set(sent));
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  for (const id of interrupted) expect(ids.filter((each) => each === id)).toHaveLength(2);
  expect(ids).toHaveLength(sent.length + interrupted.length);
  const { rows } = await sql`
    select state, attempts, count(*)::int as deliveries from webhook_delivery group by 1, 2`.execute(stack.db);
  // A worker's death doesn't count as an attempt.
  expect(rows).toEqual([{ state: 'delivered', attempts: 1, deliveries: sent.length }]);
});

it('a worker that stops releases its messages in flight, and another one sends them', async () => {
  await completeBatches(1);
  await receiver.awaitCount(1);
  hangs = false;
  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
  const given = await sql`select state, attempts, claimed_until from webhook_delivery`.execute(stack.db);
  expect(given.rows).toEqual([{ state: 'pending', attempts: 0, claimed_until: null }]);
  await Promise.all(workers.map((worker) => worker.start()));
  await receiver.awaitCount(2);
  await expect.poll(listPending).toEqual([]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
