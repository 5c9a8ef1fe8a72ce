import type { CreatedEnterprise } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Api, refusalOf } from '../harness/api.ts';
import { countWaiting, waitsToTheEnd } from '../harness/databases/waiting.ts';
import { idsOfNumbers, insertEmployees } from '../harness/members/holdings.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/**
 * Concurrent calls of M4, M9 and M10 through two APIs, with each other and with orders on the same assets (rules 8).
 */

const { stack } = await testStack();
const center = await MemberCenter.open(stack);
const other = await untilTestsEnd(startAnotherApi(stack, center.api));
/** The center through another API. */
const otherDoor = through(other.api, center);
const elsewhere = await MemberCenter.open(stack, center.api);
/** The other customer of the center's enterprise. */
const industry = await center.industryCustomer();

/** Returns the same center with the same login, through another API. */
function through(api: Api, { enterpriseId, adminId, cloudId, customer, account, password, userToken }: MemberCenter) {
  const members = [adminId, cloudId].map((memberGlobalId) => ({ memberGlobalId, memberIdentity: '' }));
  const created: CreatedEnterprise = { enterpriseGlobalId: enterpriseId, defaultType: true, members };
  return new MemberCenter(api, created, customer, { account, password, userToken });
}

const endOf = (answer: Answer) => (answer.status === 200 ? 'success' : refusalOf(answer).code);

/**
 * Returns assignments and loans that break a rule. An assigned asset must be active and not a borrowed lock, and its
 * employee must exist in its enterprise. A loan needs an assigned asset and an active borrowed lock of the enterprise.
 * All assets lent into one lock must be assigned to one employee.
 */
async function wrongHoldings(): Promise<unknown[]> {
  const { rows } = await sql`
    select 'assignment' as wrong, asset.id from asset_assignment as held
    join asset on asset.id = held.asset_id join customer on customer.id = customer_id
    join member on member.id = held.member_id
    where asset.revoked_time is not null or borrowed_usb_key or deleted_time is not null
      or member.enterprise_id <> customer.enterprise_id
    union all
    select 'lending', lent.asset_id from asset_lending as lent
    join asset as lock on lock.id = lent.lock_asset_id join customer on customer.id = lock.customer_id
    left join asset_assignment as held on held.asset_id = lent.asset_id left join member on member.id = held.member_id
    where held.asset_id is null or lock.revoked_time is not null or not lock.borrowed_usb_key
      or member.enterprise_id <> customer.enterprise_id
    union all
    select 'lock', lock_asset_id from asset_lending as lent join asset_assignment as held using (asset_id)
    group by lock_asset_id having count(distinct member_id) > 1`.execute(stack.db);
  return rows;
}

/** The second of two calls waits for the first, and sees its effects. */
describe('a call that waits for another', () => {
  /** `held` is assigned to Kim, `lock` is a borrowed lock, and nothing is lent. */
  const NAMES = ['held', 'free', 'lock'] as const;
  type Name = (typeof NAMES)[number];
  let [kim, lee] = ['', ''];
  let numOf: Record<Name, string>;
  let idOf: Record<Name, string>;

  // A transaction that has changed something waits in its commit while the test holds this advisory lock.
  const HOLD = 42;
  beforeAll(async () => {
    await sql`
      create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${sql.lit(HOLD)}::bigint); return null; end $$`.execute(stack.db);
    for (const table of ['license_order', 'member_audit', 'lock_audit']) {
      await sql`
        create constraint trigger wait_for_test after insert on ${sql.table(table)}
        deferrable initially deferred for each row execute function wait_for_test()`.execute(stack.db);
    }
  });
  afterAll(() => sql`drop function wait_for_test cascade`.execute(stack.db));

  beforeEach(async () => {
    [kim, lee] = (await insertEmployees(stack.db, center, 2)) as [string, string];
    numOf = { held: newAssetNum(), free: newAssetNum(), lock: newAssetNum() };
    const assets = [false, true].map((isLock) => ({
      assetNos: isLock ? [numOf.lock] : [numOf.held, numOf.free],
      borrowedUsbKey: isLock,
      products: [productToBuy()],
    }));
    await center.api.carryOut(newBuy(center.customer, [], { assets }));
    const [held, free, lock] = (await idsOfNumbers(stack.db, Object.values(numOf))) as [string, string, string];
    idOf = { held, free, lock };
    await center.assign(kim, numOf.held);
  });

  /** Blocks the first call in its commit until the second waits for it. Returns the outcomes of both. */
  async function meeting(first: string, second: string): Promise<[string, string]> {
    const calls: Record<string, () => Promise<Answer>> = CALLS;
    const answers = await stack.db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(HOLD)}::bigint)`.execute(trx);
      const one = calls[first]!();
      // Only an order may give up while it waits.
      const waits = async () =>
        first.startsWith('an order') ? await waitsToTheEnd(stack.db) : (await countWaiting(stack.db, 'advisory')) > 0;
      await expect.poll(waits, { interval: 10 }).toBe(true);
      const two = calls[second]!();
      await expect.poll(() => countWaiting(stack.db, 'transactionid', 'tuple'), { interval: 10 }).toBe(1);
      return { one, two };
    });
    return [endOf(await answers.one), endOf(await answers.two)];
  }

  const order = (...orders: Sent[]) => center.api.submit({ ...batchOf(...orders), syncMode: 'sync' });
  const buyAgain = (name: Name, element: Sent = {}, owner = center.customer) =>
    newBuy(owner, [numOf[name]], {}, { borrowedUsbKey: name === 'lock', ...element });
  const M9 = (memberId: string, deleteAssets: Name[], addAssets: Name[]) => {
    const numsOf = (names: Name[]) => names.map((name) => numOf[name]);
    return otherDoor.configure(memberId, numsOf(deleteAssets), numsOf(addAssets));
  };

  // Every call by description. Their asset names are bound when a test runs.
  const CALLS = {
    'M9 assigns the free one to Kim': () => M9(kim, [], ['free']),
    'M9 assigns the free one to Lee': () => M9(lee, [], ['free']),
    'M9 withdraws the held one': () => M9(kim, ['held'], []),
    'M9 withdraws the held one and assigns it again': () => M9(kim, ['held'], ['held']),
    'M10 lends the held one': () => center.lend(kim, numOf.lock, [idOf.held]),
    'M4 deletes Kim': () => otherDoor.delete(kim),
    'O6 disables the lock': () =>
      center.api.call('POST', '/asset/lock', { body: { assetNums: [numOf.lock], operatorIdentity: 'Ada' } }),
    ...Object.fromEntries(
      NAMES.flatMap((name) => [
        [`an order revokes ${name}`, () => order(deleteAsset(center.customer, [numOf[name]]))],
        [`an order revokes and buys ${name}`, () => order(deleteAsset(center.customer, [numOf[name]]), buyAgain(name))],
        [`an order buys onto ${name}`, () => order(buyAgain(name))],
        [`an order makes ${name} the other kind`, () => order(buyAgain(name, { borrowedUsbKey: name !== 'lock' }))],
        [
          `an order transfers ${name} within the enterprise`,
          () => order(buyAgain(name, { transferedAssetNum: true }, industry)),
        ],
        [
          `an order transfers ${name} elsewhere`,
          () => order(buyAgain(name, { transferedAssetNum: true }, elsewhere.customer)),
        ],
        [`an order takes the products from ${name}`, () => order(deleteProduct(center.customer, [numOf[name]]))],
      ]),
    ),
  };

  it.each<[first: string, second: string, end: string, kimHas: string]>([
    // The member center waits for an order.
    ['an order revokes free', 'M9 assigns the free one to Kim', '60024', 'held'],
    ['an order revokes and buys free', 'M9 assigns the free one to Kim', 'success', 'held free'],
    ['an order buys onto free', 'M9 assigns the free one to Kim', 'success', 'held free'],
    ['an order makes free the other kind', 'M9 assigns the free one to Kim', '60024', 'held'],
    ['an order transfers free within the enterprise', 'M9 assigns the free one to Kim', 'success', 'held free'],
    ['an order transfers free elsewhere', 'M9 assigns the free one to Kim', '60025', 'held'],
    ['an order revokes held', 'M9 withdraws the held one', '60024', ''],
    ['an order revokes and buys held', 'M9 withdraws the held one', '60024', ''],
    ['an order buys onto held', 'M9 withdraws the held one', 'success', ''],
    ['an order transfers held within the enterprise', 'M9 withdraws the held one', '60024', ''],
    ['an order transfers held elsewhere', 'M9 withdraws the held one', '60025', ''],
    ['an order revokes held', 'M10 lends the held one', '33003', ''],
    ['an order revokes and buys held', 'M10 lends the held one', '33003', ''],
    ['an order transfers held within the enterprise', 'M10 lends the held one', '33003', ''],
    ['an order takes the products from held', 'M10 lends the held one', '33006', 'held'],
    ['an order revokes lock', 'M10 lends the held one', '33008', 'held'],
    ['an order revokes and buys lock', 'M10 lends the held one', 'success', 'held in lock'],
    ['an order buys onto lock', 'M10 lends the held one', 'success', 'held in lock'],
    ['an order makes lock the other kind', 'M10 lends the held one', '33008', 'held'],
    ['an order transfers lock within the enterprise', 'M10 lends the held one', 'success', 'held in lock'],
    ['an order transfers lock elsewhere', 'M10 lends the held one', '33008', 'held'],
    ['an order revokes held', 'M4 deletes Kim', 'success', 'gone'],
    ['an order transfers held elsewhere', 'M4 deletes Kim', 'success', 'gone'],
    ['O6 disables the lock', 'M10 lends the held one', '33008', 'held'],
    // An order waits for the member center.
    ['M9 assigns the free one to Kim', 'an order revokes free', 'success', 'held'],
    ['M9 assigns the free one to Kim', 'an order makes free the other kind', 'success', 'held'],
    ['M9 assigns the free one to Kim', 'an order transfers free elsewhere', 'success', 'held'],
    ['M9 withdraws the held one', 'an order revokes held', 'success', ''],
    ['M10 lends the held one', 'an order revokes held', 'success', ''],
    ['M10 lends the held one', 'an order revokes and buys lock', 'success', 'held'],
    ['M10 lends the held one', 'an order transfers lock within the enterprise', 'success', 'held'],
    ['M10 lends the held one', 'an order makes lock the other kind', 'success', 'held'],
    ['M4 deletes Kim', 'an order revokes held', 'success', 'gone'],
    // One call of the member center waits for another.
    ['M9 assigns the free one to Kim', 'M9 assigns the free one to Lee', '60028', 'held free'],
    ['M9 withdraws the held one', 'M9 withdraws the held one', '60024', ''],
    ['M9 withdraws the held one', 'M10 lends the held one', '33003', ''],
    ['M9 withdraws the held one and assigns it again', 'M10 lends the held one', 'success', 'held in lock'],
    ['M10 lends the held one', 'M9 withdraws the held one', 'success', ''],
    ['M10 lends the held one', 'M10 lends the held one', 'success', 'held in lock'],
    ['M10 lends the held one', 'M4 deletes Kim', 'success', 'gone'],
    ['M4 deletes Kim', 'M9 assigns the free one to Kim', '60026', 'gone'],
    ['M4 deletes Kim', 'M10 lends the held one', '60026', 'gone'],
    ['M4 deletes Kim', 'M4 deletes Kim', '60002', 'gone'],
  ])('%s, then %s: %s, and "%s" is assigned to Kim', async (first, second, end, kimHas) => {
    expect(await meeting(first, second)).toEqual(['success', end]);
    expect(await wrongHoldings()).toEqual([]);
    const listed = await center.listed(kim);
    const held = NAMES.filter((name) => listed?.assetNums.includes(numOf[name])).join(' ');
    expect(listed === undefined ? 'gone' : held + (listed.borrowNum === numOf.lock ? ' in lock' : '')).toBe(kimHas);
  });
});
