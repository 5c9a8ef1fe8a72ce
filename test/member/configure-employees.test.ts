import { type Cause, ConfiguredEmployees, codeOf } from '@lockstep/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { recordQueries } from '../harness/databases/explain.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { insertEmployees } from '../harness/members/holdings.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** M9 for many employees in one call, over HTTP (rules 8). */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
const elsewhere = await MemberCenter.open(stack, center.api);
const [kim = '', lee = ''] = await insertEmployees(stack.db, center, 2);
const [stranger = ''] = await insertEmployees(stack.db, elsewhere, 1);
const [foreign] = await elsewhere.buy();
const GONE = '999999999999';

type Entry = [memberGlobalId: string, deleteAssets: string[], addAssets: string[]];
const configure = (entries: readonly Entry[], query: Record<string, string> = {}) => {
  const privileges = entries.map(([memberGlobalId, deleteAssets, addAssets]) => {
    return { memberGlobalId, deleteAssets, addAssets };
  });
  return center.ask('configureEmployees', {}, { query, body: { privileges } });
};
const dataIn = ({ body }: Answer) => ConfiguredEmployees.parse(body.data);

/** Returns the cause of each refused entry by its index. */
const causesIn = (answer: Answer) =>
  Object.fromEntries(dataIn(answer).failed.map(({ index, cause }) => [index, cause]));
/** Returns the numbers of an employee's assets. */
async function heldBy(memberId: string): Promise<string[]> {
  const assets = (await center.assets()).filter(({ cloudAccountGlobalId }) => cloudAccountGlobalId === memberId);
  return assets.map(({ assetNum }) => assetNum).toSorted();
}

let nums: [string, string, string];
beforeEach(async () => {
  nums = (await center.buy(3)).map(({ assetNum }) => assetNum) as typeof nums;
});
afterEach(async () => {
  for (const id of [kim, lee]) dataOf(await center.configure(id, await heldBy(id), []));
});

it('entries see those before them: an asset moves, and one employee may appear twice', async () => {
  const [first, second, third] = nums;
  await center.assign(kim, first);
  const before = (await center.audit()).length;
  const answer = await configure([
    [lee, [], [second]],
    [kim, [first], []],
    [lee, [second], [first]],
    [kim, [], [second, third]],
    [kim, [], []],
  ]);
  const entries = [lee, kim, lee, kim, kim].map((memberGlobalId, index) => ({ index, memberGlobalId }));
  expect(dataOf(answer)).toEqual({ succeeded: entries, failed: [] });
  expect(await heldBy(kim)).toEqual([second, third].toSorted());
  expect(await heldBy(lee)).toEqual([first]);
  const audited = (await center.audit()).slice(0, -before).toReversed();
  expect(audited).toMatchObject(
    [
      [lee, [], [second]],
      [kim, [first], []],
      [lee, [second], [first]],
      [kim, [], [second, third]],
    ].map(([targetGlobalId, withdrawn, assigned]) => ({
      action: 'assets_configured',
      actorGlobalId: center.adminId,
      targetGlobalId,
      detail: { before: { assetNums: withdrawn, lent: [] }, after: { assetNums: assigned, lent: [] } },
    })),
  );
});

it('an asset that returns to its employee loses its loan, which one audit entry has', async () => {
  const [assetNum] = nums;
  await center.assign(kim, assetNum);
  const [{ assetNum: lockNum } = { assetNum: '' }] = await center.buyLocks();
  const { assetId } = (await center.assets()).find((asset) => asset.assetNum === assetNum)!;
  dataOf(await center.lend(kim, lockNum, [assetId]));
  const back: Entry[] = [
    [kim, [assetNum], []],
    [lee, [], [assetNum]],
    [lee, [assetNum], []],
    [kim, [], [assetNum]],
  ];
  dataOf(await configure(back));
  expect(await center.listed(kim)).toMatchObject({ assetNums: [assetNum], borrowNum: '' });
  const lent = (await center.audit()).slice(0, 4).map(({ detail }) => detail.before?.lent);
  expect(lent).toEqual([[], [], [], [{ assetNum, borrowedUsbKey: lockNum }]]);
});

describe('entries that are refused', () => {
  const CASES: [what: string, cause: Cause, entry: (assetNum: string) => Entry][] = [
    ['an unknown employee', 'employee_not_matched', (assetNum) => [GONE, [], [assetNum]]],
    ['an employee of another enterprise', 'employee_not_matched', (assetNum) => [stranger, [], [assetNum]]],
    ['an unknown asset', 'asset_number_not_found', () => [kim, [], ['unknown']]],
    ['an asset of another enterprise', 'asset_of_other_enterprise', () => [kim, [], [foreign!.assetNum]]],
    ['an asset of another employee', 'asset_configured_twice', (assetNum) => [lee, [], [assetNum]]],
    ['an asset twice', 'asset_configured_twice', () => [lee, [], [nums[2], nums[2]]]],
    ['a withdrawal from another employee', 'asset_not_withdrawable', (assetNum) => [lee, [assetNum], []]],
  ];

  it('leave the others applied, and are named; a preview answers the same and changes nothing', async () => {
    const [first, second] = nums;
    const entries: Entry[] = [
      [kim, [], [first]],
      ...CASES.map(([, , entry]): Entry => entry(first)),
      // What an entry did before its fault does not last.
      [kim, [first], ['unknown']],
      [lee, [], [second]],
    ];
    const content = await contentOfTables(stack.db);
    const previewed = await configure(entries, { preview: 'true' });
    expect(await contentOfTables(stack.db)).toEqual(content);
    const answer = await configure(entries);
    expect(answer).toMatchObject({
      status: 200,
      body: { code: '60027', cause: 'some_privileges_failed', args: ['8', '10'] },
    });
    expect(previewed.body).toEqual(answer.body);
    expect(causesIn(answer)).toEqual(
      Object.fromEntries(
        [...CASES.map(([, cause]) => cause), 'asset_number_not_found'].map((cause, i) => [i + 1, cause]),
      ),
    );
    const [ofEmployee, , ofAsset] = dataIn(answer).failed;
    expect(ofEmployee).toMatchObject({ index: 1, memberGlobalId: GONE, code: '60026', args: [GONE] });
    expect(ofAsset).toMatchObject({ code: '60024', args: ['privileges[3].addAssets[0]', 'unknown'] });
    expect(dataIn(answer).succeeded.map(({ index }) => index)).toEqual([0, 9]);
    expect(await heldBy(kim)).toEqual([first]);
    expect(await heldBy(lee)).toEqual([second]);
  });

  it.each(CASES)('%s alone: HTTP 299 with its code, and the data', async (_, cause, entry) => {
    await center.assign(kim, nums[0]);
    const answer = await configure([entry(nums[0])]);
    expect(refusalOf(answer)).toMatchObject({ cause, code: codeOf(cause, 'member') });
    expect(dataIn(answer)).toMatchObject({ succeeded: [], failed: [{ index: 0, cause }] });
  });

  it('an asset that an order has revoked is unknown', async () => {
    await center.api.carryOut(deleteAsset(center.customer, [nums[0]]));
    expect(causesIn(await configure([[kim, [], [nums[0]]]]))).toEqual({ 0: 'asset_number_not_found' });
  });
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `N${index}`);

it.each<[what: string, privileges: unknown, path: string]>([
  ['no entries', [], 'privileges'],
  ['1,001 entries', many(1_001).map(() => ({ memberGlobalId: kim, deleteAssets: [], addAssets: [] })), 'privileges'],
  [
    '10,001 numbers',
    many(11).map((_, i) => ({ memberGlobalId: kim, deleteAssets: [], addAssets: many(i < 10 ? 1_000 : 1) })),
    'privileges',
  ],
  [
    '1,001 numbers in a list',
    [{ memberGlobalId: kim, deleteAssets: many(1_001), addAssets: [] }],
    'privileges[0].deleteAssets',
  ],
  ['no list', [{ memberGlobalId: kim, deleteAssets: [] }], 'privileges[0].addAssets'],
  ['no id', [{ memberGlobalId: 'kim', deleteAssets: [], addAssets: [] }], 'privileges[0].memberGlobalId'],
])('%s refuse the whole call', async (_, privileges, path) => {
  const answer = await center.ask('configureEmployees', {}, { body: { privileges } });
  expect(refusalOf(answer)).toMatchObject({ code: '40000', faults: [{ path }] });
  expect(answer.body.data).toBeUndefined();
});

it('1,000 entries with 10,000 numbers, of which half are refused, take as many statements as one', async () => {
  const assetNums = Array.from({ length: 5_000 }, newAssetNum);
  await center.api.carryOut(...[0, 2_500].map((at) => newBuy(center.customer, assetNums.slice(at, at + 2_500))));
  const employees = await insertEmployees(stack.db, center, 500);
  const entries = employees.flatMap((id, index): Entry[] => {
    const own = assetNums.slice(10 * index, 10 * index + 10);
    return [
      [id, [], own],
      [kim, own, []],
    ];
  });
  const sent = recordQueries();
  dataOf(await configure([[lee, [], [nums[0]]]]));
  const countSent = () => sent.filter(({ text }) => /asset|member/.test(text) && !text.includes('refused_call')).length;
  const ofOne = countSent();
  const answer = await configure(entries);
  vi.restoreAllMocks();
  expect(countSent()).toBe(2 * ofOne);
  expect(dataIn(answer).succeeded.map(({ index }) => index)).toEqual(employees.map((_, index) => 2 * index));
  expect(await heldBy(employees[7]!)).toEqual(assetNums.slice(70, 80).toSorted());
});
