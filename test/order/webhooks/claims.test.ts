import { inTransaction } from '@lockstep/platform';
import { AT_ONCE_OF_FAILING, claimDeliveries } from '@lockstep/webhooks/testing';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dataOf } from '../../harness/api.ts';
import { countWaiting } from '../../harness/databases/waiting.ts';
import { testStack } from '../../harness/stack.ts';

/**
 * Workers that look for deliveries at the same time (rules 6.8). One worker at a time checks a webhook; the others skip
 * it.
 */
/** Webhooks with one message to send each. */
let first: string;
let second: string;

const { stack, api } = await testStack({ worker: false, webhookAllowPrivate: true });
beforeEach(async () => {
  [first, second] = [await createWithMessage(), await createWithMessage()];
});
afterEach(() => sql`delete from webhook_delivery`.execute(stack.db));

async function createWithMessage(by = api): Promise<string> {
  const { webhookId } = dataOf(await by.call('POST', '/webhooks', { body: { url: 'https://shop.example/hook' } }));
  dataOf(await by.call('POST', `/webhooks/${webhookId}/test`));
  return webhookId;
}

/** Returns the webhooks to which a worker may send a message now. */
async function look(): Promise<string[]> {
  const { claims } = await claimDeliveries(stack.db, []);
  return claims.map(({ webhookId }) => webhookId).toSorted();
}

it('a webhook that another worker is checking is skipped, and others are not', async () => {
  const { end, looking } = await inTransaction(stack.db, async (trx) => {
    await sql`select from webhook where id = ${first} for no key update`.execute(trx);
    const looking = look();
    return { end: await untilDoneOrWaiting(looking, 1), looking };
  });
  expect({ end, found: await looking }).toEqual({ end: 'done', found: [second] });
  expect(await look()).toEqual([first]);
});

it('two workers never claim the same delivery', async () => {
  const { one, other } = await inTransaction(stack.db, async (trx) => {
    await sql`select from webhook_delivery where webhook_id = ${first} for update`.execute(trx);
    // This worker has locked the webhooks and read their messages. It waits to record its claim.
    const one = look();
    expect(await untilDoneOrWaiting(one, 1)).toBe('waiting');
    const other = look();
    await untilDoneOrWaiting(other, 2);
    return { one, other };
  });
  expect(await Promise.all([one, other])).toEqual([[first, second].toSorted(), []]);
  expect(await look()).toEqual([]);
});

it('a worker sends few messages at once to failing endpoints, and as many as before to others', async () => {
  const failing = await stack.newApi();
  const webhookIds: string[] = [];
  for (let count = 0; count < 2 * AT_ONCE_OF_FAILING; count++) webhookIds.push(await createWithMessage(failing));
  await sql`update webhook set failing_since = now(), last_attempt_prompt = false
    where id = any (${webhookIds}::bigint[])`.execute(stack.db);
  const { claims } = await claimDeliveries(stack.db, []);
  const claimed = claims.map(({ webhookId }) => webhookId as string);
  expect(claimed.filter((id) => webhookIds.includes(id))).toHaveLength(AT_ONCE_OF_FAILING);
  expect(claimed).toEqual(expect.arrayContaining([first, second]));
  expect(await claimDeliveries(stack.db, claims)).toEqual({ claims: [], more: false });
  const others = claims.filter(({ isFailing }) => !isFailing);
  expect((await claimDeliveries(stack.db, others)).claims).toHaveLength(AT_ONCE_OF_FAILING);
});

/** Resolves when `looking` is done or `count` transactions wait for a lock. */
async function untilDoneOrWaiting(looking: Promise<unknown>, count: number): Promise<'done' | 'waiting'> {
  let isDone = false;
  const note = () => {
    isDone = true;
  };
  looking.then(note, note);
  while (!isDone) {
    if ((await countWaiting(stack.db)) >= count) return 'waiting';
  }
  return 'done';
}
