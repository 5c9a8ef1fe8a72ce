import { readHoldsAndStalls } from '@lockstep/orders/operator';
import { Claims, LANES_OF_CHANNEL, readLocked } from '@lockstep/orders/testing';
import { run } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { testDatabase } from '../harness/stack.ts';

/** Which lanes a drain claims (rules 6.2 Fair shares). */

const CHANNELS = 300;
const LANES = LANES_OF_CHANNEL * CHANNELS;
const FIRST = LANES_OF_CHANNEL;

const { db } = await testDatabase();
await sql`insert into channel (code) select 'channel ' || n from generate_series(1, ${CHANNELS}) as n`.execute(db);
await sql`
  insert into application (app_key, name, secret_hash, scopes) values ('A', 'A', '', '{auth_order}')`.execute(db);

let batchId = 0;

/** Makes lanes have a pending order each. */
async function addPending(lanes: readonly number[]): Promise<void> {
  batchId++;
  await sql`
    insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
      order_types, digest_version, request_id)
    values (${batchId}, 1, 'channel 1', ${String(batchId)}, 'async', '', '{1}', '{1}', '{new_buy}', 1, 'R')`.execute(
    db,
  );
  await sql`
    insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version)
    select ${batchId}, lane, '{1}', 1, 1, '[]', 1 from unnest(${lanes}::int[]) as lane`.execute(db);
}

const set = (lane: number, values: string) => sql`update lane set ${sql.raw(values)} where lane = ${lane}`.execute(db);

beforeEach(async () => {
  await sql`update lane_chunk set payload = null, finished_time = now(), succeeded = 1`.execute(db);
  await sql`
    update lane set turn = now() - interval '1 h', next_try = '-infinity', failures = 0, failing_since = null,
      last_error = null`.execute(db);
  await sql`update channel set paused_time = null`.execute(db);
});

/** Claims lanes, does `work` while it has them, and ends its transaction. */
async function claim(claims = new Claims(4), work = async () => {}): Promise<number[]> {
  const { lanes } = await claimAndAsk(claims, work);
  return lanes;
}

/** Claims lanes, and returns whether another claim may find more. */
async function claimAndAsk(claims: Claims, work = async () => {}) {
  const { statement, answered, ended } = claims.begin();
  return await db.transaction().execute(async (trx) => {
    const rows = await run(trx, statement);
    const mayFindMore = answered(rows[0]!);
    await work();
    ended();
    return { lanes: readLocked(rows), mayFindMore };
  });
}

it('a channel is created with its lanes', async () => {
  const { rows } = await sql<{ lanes: number; first: number; last: number }>`
    select count(*)::int as lanes, min(lane) as first, max(lane) as last from lane`.execute(db);
  expect(rows).toEqual([{ lanes: LANES, first: FIRST, last: FIRST + LANES - 1 }]);
});

it('takes lanes with little work together, those whose turn comes first', async () => {
  const lanes = Array.from({ length: 300 }, (_, nth) => FIRST + nth);
  await addPending(lanes);
  await sql`update lane set turn = now() - (lane || ' s')::interval`.execute(db);
  expect((await claim()).toSorted((a, b) => a - b)).toEqual(lanes.slice(-250));
});

it('takes a lane that used much, or that fails, alone', async () => {
  await addPending([4, 5, 6]);
  await set(4, `turn = now() + interval '9 s'`);
  await set(5, `turn = now() + interval '8 s'`);
  await set(6, `turn = now() + interval '7 s', failures = 1, failing_since = now(), last_error = 'made to fail'`);
  expect(await claim()).toEqual([6]);
  await set(6, `next_try = now() + interval '5 s'`);
  expect(await claim()).toEqual([5]);
});

it('prefers the one kind and the other in turn, and takes what there is', async () => {
  await addPending([4, 5]);
  await set(5, `turn = now() + interval '9 s'`);
  const claims = new Claims(4);
  expect([await claim(claims), await claim(claims), await claim(claims)]).toEqual([[4], [5], [4]]);
  await set(4, `turn = now() + interval '9 s'`);
  const both = [...(await claim(claims)), ...(await claim(claims))];
  expect(both.every((lane) => lane === 4 || lane === 5)).toBe(true);
});

it('takes no lane that another transaction has, whose channel is paused, or that must wait', async () => {
  await addPending([4, 5, 8, 9, 12]);
  await sql`update channel set paused_time = now() where id = 2`.execute(db);
  await set(12, `next_try = now() + interval '5 s'`);
  await claim(new Claims(4), async () => {
    expect(await claim()).toEqual([]);
  });
  // A failure never sets such a time: the clock of the database was set back.
  await set(12, `next_try = now() + interval '1 h'`);
  expect((await claim()).toSorted((a, b) => a - b)).toEqual([4, 5, 12]);
});

it('looks at 500 lanes at a time, and finds those of which it has not looked at any yet', async () => {
  const lanes = Array.from({ length: LANES }, (_, nth) => FIRST + nth);
  await addPending(lanes);
  const last = lanes.at(-1)!;
  await db.transaction().execute(async (other) => {
    await sql`select from lane where lane <> ${last} for update`.execute(other);
    const claims = new Claims(4);
    const found = [];
    for (let count = 0; count < 6; count++) found.push(await claimAndAsk(claims));
    // The third part has the last lane. After that, all are looked at once more.
    expect(found.map(({ lanes }) => lanes)).toEqual([[], [], [last], [], [], [last]]);
    expect(found.every(({ mayFindMore }) => mayFindMore)).toBe(true);
  });
  await db.transaction().execute(async (other) => {
    await sql`select from lane for update`.execute(other);
    const claims = new Claims(4);
    const found = [await claimAndAsk(claims), await claimAndAsk(claims), await claimAndAsk(claims)];
    expect(found.map(({ mayFindMore }) => mayFindMore)).toEqual([true, true, false]);
  });
});

it('lets several drains share lanes with little to do when there are more than one takes', async () => {
  const lanes = Array.from({ length: LANES }, (_, nth) => FIRST + nth);
  await addPending(lanes);
  const claims = new Claims(4);
  let second: number[] = [];
  const first = await claim(claims, async () => {
    expect(claims.isGathering).toBe(false);
    second = await claim(claims);
  });
  expect([first.length, second.length]).toEqual([250, 250]);
  expect(new Set([...first, ...second]).size).toBe(500);
});

it('leaves a drain of the process to lanes of the other kind', async () => {
  await addPending([4, 5, 6, 8]);
  for (const lane of [4, 5, 6]) await set(lane, `turn = now() + interval '9 s'`);
  const claims = new Claims(2);
  const first = await claim(claims, async () => {
    const second = await claim(claims, async () => {
      expect(await claim(claims)).toEqual([]);
    });
    expect(second).toHaveLength(1);
    expect(second).not.toContain(8);
  });
  expect(first).toEqual([8]);
});

it('a lane whose drains fail is stalled only while it has pending orders', async () => {
  await set(4, `failures = 3, failing_since = now() - interval '9 s', last_error = 'made to fail'`);
  expect(await readHoldsAndStalls(db)).toMatchObject({ stalledLanes: 0, stalledBy: null });
  await addPending([4]);
  expect(await readHoldsAndStalls(db)).toMatchObject({ stalledLanes: 1, stalledBy: 'made to fail' });
});
