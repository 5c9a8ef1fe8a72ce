import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { countWaiting } from '../harness/databases/waiting.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** A call that waits for an asset that orders change doesn't block other calls (rules 8). */
const PASSWORD = 'correct horse';

const { stack } = await testStack({ worker: false });
const [center, other] = await Promise.all([MemberCenter.open(stack), MemberCenter.open(stack)]);

/** Locks an asset while `work` runs, as a drain does. */
async function whileLocked(assetId: string, work: () => Promise<void>): Promise<void> {
  await stack.db.transaction().execute(async (trx) => {
    await sql`select from asset where id = ${assetId} for update`.execute(trx);
    await work();
  });
}

/** Waits until `calls` calls wait for a lock. */
async function untilWaiting(calls: number): Promise<void> {
  await expect.poll(() => countWaiting(stack.db)).toBe(calls);
}

it('M9 blocks only its asset: the employee can log in and be edited, and others added and given assets', async () => {
  const [kim, lee] = await center.add(newEmployee({ userName: 'kim', password: PASSWORD }), newEmployee());
  const [busy, free] = await center.buy(2);
  const [theirs] = await other.buy();
  const [someone] = await other.add();
  let waiting: ReturnType<MemberCenter['configure']> | undefined;
  await whileLocked(busy!.assetId, async () => {
    waiting = center.configure(kim!.globalId, [], [busy!.assetNum]);
    await untilWaiting(1);
    const login = await askUserToken(stack.baseUrl, center.api.credentials, {
      account: kim!.userName,
      password: PASSWORD,
    });
    expect(login.status).toBe(200);
    dataOf(await center.edit(kim!.globalId, { userName: 'kim', name: 'Kim Lee' }));
    await center.add();
    await center.assign(kim!.globalId, free!.assetNum);
    await other.assign(someone!.globalId, theirs!.assetNum);
    dataOf(await center.delete(lee!.globalId));
  });
  dataOf(await waiting!);
  expect(await center.listed(kim!.globalId)).toMatchObject({ name: 'Kim Lee' });
  expect((await center.listed(kim!.globalId))!.assetNums.toSorted()).toEqual(
    [busy!.assetNum, free!.assetNum].toSorted(),
  );
});

it('many waiting calls of one enterprise do not block those of another', async () => {
  const employees = await center.add(newEmployee(), newEmployee());
  const [busy] = await center.buy();
  const [theirs] = await other.buy();
  const [someone] = await other.add();
  let waiting: ReturnType<MemberCenter['configure']>[] = [];
  await whileLocked(busy!.assetId, async () => {
    waiting = Array.from({ length: 12 }, (_, index) =>
      center.configure(employees[index % 2]!.globalId, [], [busy!.assetNum]),
    );
    await untilWaiting(2);
    await other.assign(someone!.globalId, theirs!.assetNum);
  });
  const codes = (await Promise.all(waiting)).map(({ body }) => body.code);
  expect(codes.toSorted()).toEqual([0, ...Array.from({ length: 11 }, () => '60028')]);
});

it('M4 releases what the employee still holds when it gets the locks, and no asset of another employee', async () => {
  const center = await MemberCenter.open(stack);
  const [kim, lee] = await center.add(newEmployee(), newEmployee());
  // M4 locks assets in the order of their numbers, so it has locked neither while it waits for the first.
  const [locked, loose] = (await center.buy(2)).toSorted((a, b) => (a.assetNum < b.assetNum ? -1 : 1));
  await center.assign(kim!.globalId, locked!.assetNum, loose!.assetNum);
  let waiting: ReturnType<MemberCenter['delete']> | undefined;
  await whileLocked(locked!.assetId, async () => {
    waiting = center.delete(kim!.globalId);
    await untilWaiting(1);
    for (const borrowedUsbKey of [true, false]) {
      await center.api.carryOut(newBuy(center.customer, [loose!.assetNum], {}, { borrowedUsbKey }));
    }
    await center.assign(lee!.globalId, loose!.assetNum);
  });
  dataOf(await waiting!);
  expect(await center.listed(lee!.globalId)).toMatchObject({ assetNums: [loose!.assetNum] });
  const [deleted] = (await center.audit()).filter(({ targetGlobalId }) => targetGlobalId === kim!.globalId);
  expect(deleted).toMatchObject({ action: 'employee_deleted', detail: { before: { assetNums: [locked!.assetNum] } } });
});
