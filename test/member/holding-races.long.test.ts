import type { CreatedEnterprise, Customer } from '@lockstep/contract';
import fc from 'fast-check';
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
/** The center through each of the two APIs. */
const doors: [MemberCenter, MemberCenter] = [center, through(other.api, center)];
/** Another enterprise through each of the two APIs. */
const foreign = await MemberCenter.open(stack, center.api);
const elsewhere = [foreign, through(other.api, foreign)] as const;
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

/** Expects M5, M6 and M8 to show the same assignments and loans. */
async function expectViewsAgree(of: MemberCenter): Promise<void> {
  const [employees, assets, locks] = await Promise.all([of.list(), of.assets(), of.locks()]);
  const pairs = (entries: { assetNum: string; cloudAccountGlobalId: string | null }[]) =>
    entries
      .filter(({ cloudAccountGlobalId }) => cloudAccountGlobalId !== null)
      .map(({ assetNum, cloudAccountGlobalId }) => `${cloudAccountGlobalId} ${assetNum}`)
      .toSorted();
  const listed = (numsOf: (employee: (typeof employees)[number]) => string[]) =>
    employees.flatMap((employee) => numsOf(employee).map((num) => `${employee.globalId} ${num}`)).toSorted();
  expect(pairs(assets)).toEqual(listed(({ assetNums }) => assetNums));
  expect(pairs(locks)).toEqual(listed(({ borrowNum }) => (borrowNum === '' ? [] : borrowNum.split(','))));
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
    return doors[1].configure(memberId, numsOf(deleteAssets), numsOf(addAssets));
  };

  // Every call by description. Their asset names are bound when a test runs.
  const CALLS = {
    'M9 assigns the free one to Kim': () => M9(kim, [], ['free']),
    'M9 assigns the free one to Lee': () => M9(lee, [], ['free']),
    'M9 withdraws the held one': () => M9(kim, ['held'], []),
    'M9 withdraws the held one and assigns it again': () => M9(kim, ['held'], ['held']),
    'M10 lends the held one': () => center.lend(kim, numOf.lock, [idOf.held]),
    'M4 deletes Kim': () => doors[1].delete(kim),
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
          () => order(buyAgain(name, { transferedAssetNum: true }, elsewhere[0].customer)),
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

describe('concurrent calls for the same assets and locks', () => {
  const ROUNDS = 10;
  const CALLS_PER_ROUND = 30;
  const EMPLOYEES = 3;

  /** A random call. Numbers, locks and employees are indexes. The fourth employee is of another enterprise. */
  type Call =
    | { kind: 'M9'; employee: number; deleteAssets: number[]; addAssets: number[] }
    | { kind: 'M9 for many'; entries: { employee: number; deleteAssets: number[]; addAssets: number[] }[] }
    | { kind: 'M10'; employee: number; lock: number; assets: number[] }
    | { kind: 'M4'; employee: number }
    | { kind: 'sync' | 'async'; orders: { does: OrderKind; owner: number; numbers: number[] }[] };
  type OrderKind = 'revoke' | 'buy' | 'transfer' | 'make a lock' | 'make no lock';

  /** Six assets, two of which are assigned to each employee at first, and three locks. */
  const ASSETS = [0, 1, 2, 3, 4, 5];
  const LOCKS = [6, 7, 8];
  const some = (list: number[], minLength: number, maxLength: number) => fc.subarray(list, { minLength, maxLength });
  const employee = fc.nat(EMPLOYEES - 1);
  const ofTheEmployee = (place: number) => [2 * place, 2 * place + 1];
  const order = fc.record({
    does: fc.constantFrom<OrderKind>('revoke', 'buy', 'transfer', 'make a lock', 'make no lock'),
    owner: fc.constantFrom(0, 0, 1, 2),
    numbers: some([...ASSETS, ...LOCKS], 1, 2),
  });
  const call: fc.Arbitrary<Call> = fc.oneof(
    {
      weight: 8,
      arbitrary: employee.chain((place) =>
        fc.record({
          kind: fc.constant('M10' as const),
          employee: fc.constant(place),
          lock: fc.constantFrom(...LOCKS),
          assets: some(ofTheEmployee(place), 1, 2),
        }),
      ),
    },
    {
      weight: 8,
      arbitrary: fc.nat(EMPLOYEES).chain((place) =>
        fc.record({
          kind: fc.constant('M9' as const),
          employee: fc.constant(place),
          deleteAssets: some(ofTheEmployee(place % EMPLOYEES), 0, place === EMPLOYEES ? 0 : 1),
          addAssets: some(ASSETS, 1, 1),
        }),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('M9 for many' as const),
        entries: fc.array(fc.record({ employee, deleteAssets: some(ASSETS, 0, 1), addAssets: some(ASSETS, 0, 2) }), {
          minLength: 1,
          maxLength: 4,
        }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('M4' as const), employee }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constantFrom('sync' as const, 'async' as const),
        orders: fc.array(order, { minLength: 1, maxLength: 2 }),
      }),
    },
  );

  const REFUSALS: Record<Call['kind'], string[]> = {
    M4: ['60002'],
    M9: ['60024', '60025', '60026', '60028'],
    'M9 for many': ['60024', '60025', '60026', '60028'],
    M10: ['60026', '33003', '33006', '33007', '33008', '33018'],
    sync: ['asset_not_found', 'asset_owned_by_other_customer'],
    async: ['asset_not_found', 'asset_owned_by_other_customer', 'asset_number_shared'],
  };

  it('break no rule, and each succeeds or gets its own refusal', async () => {
    const owners: Customer[] = [center.customer, industry, elsewhere[0].customer];
    const numbers = [...ASSETS, ...LOCKS].map(newAssetNum);
    const numsAt = (places: number[]) => places.map((place) => numbers[place]!);
    await center.api.carryOut(newBuy(center.customer, numbers));
    /** Outcomes, counted by kind of call. */
    const ends = new Map<string, Map<string, number>>();

    for (let round = 0; round < ROUNDS; round++) {
      // All assets belong to the center, are assigned to new employees and are not lent.
      const all = { transferedAssetNum: true };
      const { rows } = await sql<{ num: string }>`
        select num from unnest(${numbers}::text[]) as num
        where num not in (select asset_num from asset where revoked_time is null)`.execute(stack.db);
      const revoked = rows.map(({ num }) => num);
      if (revoked.length > 0) await center.api.carryOut(newBuy(center.customer, revoked));
      await center.api.carryOut(
        newBuy(center.customer, numbers, {}, all),
        deleteAsset(center.customer, numbers),
        newBuy(center.customer, numsAt(ASSETS), {}, { borrowedUsbKey: false }),
        newBuy(center.customer, numsAt(LOCKS), {}, { borrowedUsbKey: true }),
      );
      const ids = await idsOfNumbers(stack.db, numbers);
      const employees = await insertEmployees(stack.db, center, EMPLOYEES);
      for (const [place, memberId] of employees.entries()) {
        await center.assign(memberId, ...numsAt(ofTheEmployee(place)));
      }

      /** Makes one call through one of the two APIs. Returns its outcome, or the outcome of each of its orders. */
      const make = async (call: Call, index: number): Promise<string[]> => {
        const door = doors[index % 2]!;
        switch (call.kind) {
          case 'M4':
            return [endOf(await door.delete(employees[call.employee]!))];
          case 'M9': {
            const [by, memberId] =
              call.employee === EMPLOYEES
                ? [elsewhere[index % 2]!, elsewhere[0].cloudId]
                : [door, employees[call.employee]!];
            return [endOf(await by.configure(memberId, numsAt(call.deleteAssets), numsAt(call.addAssets)))];
          }
          case 'M9 for many': {
            const privileges = call.entries.map(({ employee, deleteAssets, addAssets }) => ({
              memberGlobalId: employees[employee]!,
              deleteAssets: numsAt(deleteAssets),
              addAssets: numsAt(addAssets),
            }));
            const { data } = (await door.ask('configureEmployees', {}, { body: { privileges } })).body;
            return [...data.succeeded, ...data.failed].map(({ code = 'success' }) => code);
          }
          case 'M10': {
            const assetIds = call.assets.map((place) => ids[place]);
            return [endOf(await door.lend(employees[call.employee]!, numbers[call.lock]!, assetIds))];
          }
          case 'sync':
          case 'async': {
            const orders = call.orders.map(({ does, owner, numbers }) =>
              orderOf(does, owners[owner]!, numsAt(numbers)),
            );
            const batch = { ...batchOf(...orders), syncMode: call.kind };
            const answer = await door.api.submit(batch);
            if (call.kind === 'sync') return [answer.status === 200 ? 'success' : refusalOf(answer).cause];
            if (answer.status !== 200) return [refusalOf(answer).cause];
            const { orders: results } = await door.api.completed(batch);
            return results.map(({ cause }) => cause ?? 'success');
          }
        }
      };
      const calls = fc.sample(call, { seed: round, numRuns: CALLS_PER_ROUND });
      for (const [index, of] of (await Promise.all(calls.map(make))).entries()) {
        const { kind } = calls[index]!;
        const ofKind = ends.get(kind) ?? new Map<string, number>();
        ends.set(kind, ofKind);
        for (const end of of) ofKind.set(end, (ofKind.get(end) ?? 0) + 1);
      }

      expect(await wrongHoldings()).toEqual([]);
      await expectViewsAgree(center);
    }

    // Each kind of call succeeded at least once, had each of its refusals, and had no other outcome.
    for (const [kind, refusals] of Object.entries(REFUSALS)) {
      const ofKind = [...ends.get(kind)!.keys()];
      expect(['success', ...refusals], kind).toEqual(expect.arrayContaining(ofKind));
      expect(ofKind, kind).toContain('success');
      expect(ofKind.length, kind).toBeGreaterThan(1);
    }
  });

  function orderOf(does: OrderKind, owner: Customer, assetNums: string[]): Sent {
    switch (does) {
      case 'revoke':
        return deleteAsset(owner, assetNums);
      case 'buy':
        return newBuy(owner, assetNums);
      case 'transfer':
        return newBuy(owner, assetNums, {}, { transferedAssetNum: true });
      case 'make a lock':
      case 'make no lock':
        return newBuy(owner, assetNums, {}, { borrowedUsbKey: does === 'make a lock' });
    }
  }
});
