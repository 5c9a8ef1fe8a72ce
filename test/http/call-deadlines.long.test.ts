import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { operations } from '@lockstep/contract';
import { openDatabase } from '@lockstep/platform';
import { DEADLINE_EXCEEDED } from '@lockstep/platform/testing';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { countWaiting } from '../harness/databases/waiting.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * A call has one deadline for all its waits. When it passes, the call fails with cause `overloaded` and changes
 * nothing.
 */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
/** The session that holds what the calls wait for. */
const others = openDatabase({ url: stack.url, poolSize: 8, applicationName: 'test-others', onError: () => {} });
afterAll(() => others.destroy());

/** Runs `work` while assets are locked. `work` may release them before it ends. */
async function whileLocked<Result>(ids: string[], work: (release: () => void) => Promise<Result>): Promise<Result> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = others.transaction().execute(async (trx) => {
    await sql`select from asset where id = any (${ids}::bigint[]) for update`.execute(trx);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  try {
    return await work(released.resolve);
  } finally {
    released.resolve();
    await holding;
  }
}

const untilWaiting = (calls: number) => expect.poll(() => countWaiting(others)).toBeGreaterThanOrEqual(calls);

function expectOverloaded(answer: Answer): void {
  expect(refusalOf(answer)).toMatchObject({ code: '500', cause: 'overloaded' });
  expect(answer.headers.get('retry-after')).not.toBeNull();
}

/** Expects no call to have logged an error with a stack. */
const expectNoFault = () => expect(stack.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);

it.concurrent('the deadline starts after the body has arrived', async () => {
  // A body of this length may take more than 11 seconds.
  const body = JSON.stringify({ crmCustomerId: 'nobody', customerName: 'C', branchName: 'B' }).padEnd(1_000_000);
  const headers = {
    authorization: `Bearer ${center.api.token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const url = `${center.api.baseUrl}${operations.updateCustomer.path}?g_nonce=${randomUUID()}`;
  const call = request(url, { method: 'POST', agent: false, headers });
  call.write(body.slice(0, -10));
  const answered = once(call, 'response');
  // Longer than the deadline of a call.
  await sql`select pg_sleep(11)`.execute(others);
  call.end(body.slice(-10));
  const [response] = (await answered) as [IncomingMessage];
  expect(JSON.parse(await text(response))).toMatchObject({ cause: 'customer_not_found' });
});

it.concurrent('M9, M4, O6 and O7 have one deadline, even if they wait for two assets in turn', async () => {
  const [kim, lee] = await center.add(newEmployee(), newEmployee());
  const order = { licenseType: 'normal_recover_usbkey' };
  const locks = [newAssetNum(), newAssetNum()].toSorted();
  await center.api.carryOut(newBuy(center.customer, locks, order));
  const assets = (await center.assets()).filter(({ assetNum }) => locks.includes(assetNum));
  const [first, second] = locks.map((num) => assets.find(({ assetNum }) => assetNum === num)!);
  const held = (await center.buy(2)).toSorted((a, b) => (a.assetNum < b.assetNum ? -1 : 1));
  await center.assign(lee!.globalId, ...held.map(({ assetNum }) => assetNum));
  const firsts = [first!.assetId, held[0]!.assetId];
  const seconds = [second!.assetId, held[1]!.assetId];
  const before = await contentOfTables(others);
  const body = { assetNums: locks, operatorIdentity: 'Me' };
  const ends: string[] = [];

  const answers = await whileLocked(seconds, () =>
    whileLocked(firsts, async (release) => {
      const calls = Promise.all([
        center.configure(kim!.globalId, [], locks),
        center.delete(lee!.globalId),
        center.api.ask('lockAssets', { body }),
        center.api.ask('unlockAssets', { body }),
      ]).finally(() => ends.push('the calls'));
      await untilWaiting(4);
      // Half of their time is gone after the first asset. If the second wait had a deadline of its own, a call that
      // starts to wait now, with a slightly shorter timeout, would give up before them.
      await sql`select pg_sleep(7)`.execute(others);
      release();
      await others
        .transaction()
        .execute(async (trx) => {
          await sql`set local lock_timeout = '11s'`.execute(trx);
          await sql`select from asset where id = ${second!.assetId} for update`.execute(trx);
        })
        .catch(() => ends.push('who waits from then on'));
      return await calls;
    }),
  );
  for (const answer of answers) expectOverloaded(answer);
  expect(ends).toEqual(['the calls', 'who waits from then on']);
  expect(await contentOfTables(others)).toEqual(before);
  expectNoFault();
  dataOf(await center.configure(kim!.globalId, [], locks));
});

it('calls for what another call changes fail as overload: O1, O2, O4, M2, M3 and a login; nothing is counted', async () => {
  const bound = await center.api.newCustomer();
  const crmCustomerId = randomUUID();
  const body = { crmCustomerId, customerName: `Enterprise ${crmCustomerId}`, branchName: 'Branch' };
  const create = () => center.api.ask('createEnterprise', { body });
  dataOf(await create());
  const [kim] = await center.add(newEmployee({ userName: 'kim', password: 'correct horse' }));
  const before = await contentOfTables(others);
  const [login, ...answers] = await others.transaction().execute(async (trx) => {
    await sql`select from enterprise where id = ${bound.enterpriseGlobalId} for update`.execute(trx);
    // The locks of O1 and O2 for a customer until their commit, and that of O4.
    await sql`select pg_advisory_xact_lock(${sql.lit(0x63757374)}, hashtext(${crmCustomerId}))`.execute(trx);
    await sql`select from customer where channel_customer_id = ${crmCustomerId} for update`.execute(trx);
    await sql`select from member where id = ${kim!.globalId} for update`.execute(trx);
    return await Promise.all([
      askUserToken(stack.baseUrl, center.api.credentials, { account: kim!.userName, password: 'correct horse' }),
      center.api.ask('bindCustomer', {
        body: {
          channelCode: 'test',
          channelCustomerId: randomUUID(),
          customerName: 'Customer',
          branchName: 'Branch',
          enterpriseName: bound.enterpriseName,
          passwordMobile: '13800000000',
        },
      }),
      create(),
      center.api.ask('updateCustomer', { body }),
      center.edit(kim!.globalId, { userName: 'kim', name: 'Kim Lee' }),
      center.resetPassword(kim!.globalId, 'battery staple'),
    ]);
  });
  for (const answer of answers) expectOverloaded(answer);
  expect(login).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
  expect(await contentOfTables(others)).toEqual(before);
  expectNoFault();
});

it('a call that gets no connection in time fails as overload', async () => {
  const query = { channelCode: 'test', channelCustomerId: 'nobody', defaultCustomer: 'N' };
  const ask = () => center.api.ask('queryCustomers', { query });
  const linesBefore = stack.logLines.length;
  // Each call waits 2 seconds for the table on one of the API's 8 connections, so the last ones get no connection in
  // time.
  const answers = await others.transaction().execute(async (trx) => {
    await sql`lock table customer`.execute(trx);
    return await Promise.all(Array.from({ length: 56 }, ask));
  });
  for (const answer of answers) expectOverloaded(answer);
  const lines = stack.logLines.slice(linesBefore).map((line) => JSON.parse(line));
  const reasons = new Set(lines.filter(({ msg }) => msg === 'call timed out').map(({ reason }) => reason));
  // Either may come first: on a busy machine, a call may reach the pool when little of its time is left.
  const whileWaiting = ['timeout exceeded when trying to connect', DEADLINE_EXCEEDED];
  expect(whileWaiting.some((reason) => reasons.has(reason))).toBe(true);
  expect(dataOf(await ask())).toEqual([]);
  expectNoFault();
});
