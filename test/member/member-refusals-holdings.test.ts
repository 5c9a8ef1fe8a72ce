import { type Cause, causes, codeOf } from '@lockstep/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { MemberCenter, newEmployee } from '../harness/member-center.ts';
import { deleteAsset, deleteProduct, newAssetNum, newBuy, productToBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { contentOfTables } from '../harness/tables.ts';

/**
 * Every code that M6 to M10 can refuse with (interface Errors; rules 8), except those of callers. No refusal changes
 * anything.
 */
let stack: Stack;
let center: MemberCenter;
/** Another enterprise, and one without an authorized customer. */
let neighbour: MemberCenter;
let unbound: MemberCenter;
let tables: unknown;

/** Employees of the enterprise; gone is deleted. */
let [kim, lee, gone]: [string, string, string] = ['', '', ''];

/** Numbers of what the enterprise has bought, and their ids. Those of kim's but one have nodes. */
const nums = {
  free: newAssetNum(),
  kims: newAssetNum(),
  lees: newAssetNum(),
  /** Of kim's: lent, without a node, and with a product that was revoked. */
  kimsLent: newAssetNum(),
  nodeless: newAssetNum(),
  emptied: newAssetNum(),
  leesLent: newAssetNum(),
  revoked: newAssetNum(),
  /** Borrowed locks. */
  lock: newAssetNum(),
  kimsLock: newAssetNum(),
  leesLock: newAssetNum(),
  disabledLock: newAssetNum(),
  frozenLock: newAssetNum(),
  revokedLock: newAssetNum(),
  /** Of the neighbour. */
  elsewhere: newAssetNum(),
  lockElsewhere: newAssetNum(),
};
let ids: Record<keyof typeof nums, string>;

const UNKNOWN = newAssetNum();

beforeAll(async () => {
  stack = await startStack({ worker: false });
  center = await MemberCenter.open(stack);
  const { api, customer } = center;
  [neighbour, unbound] = await Promise.all([MemberCenter.open(stack, api), MemberCenter.open(stack, api)]);
  await stack.db.deleteFrom('customer').where('enterprise_id', '=', unbound.enterpriseId).execute();
  const employees = await center.add(newEmployee(), newEmployee(), newEmployee());
  [kim, lee, gone] = employees.map(({ globalId }) => globalId as string) as [string, string, string];
  dataOf(await center.delete(gone));

  const { free, kims, lees, kimsLent, nodeless, emptied, leesLent, revoked, elsewhere, lockElsewhere } = nums;
  const { lock, kimsLock, leesLock, disabledLock, frozenLock, revokedLock } = nums;
  const borrowed = { borrowedUsbKey: true };
  await api.carryOut(
    newBuy(customer, [free, kims, lees, kimsLent, emptied, leesLent, revoked]),
    newBuy(customer, [nodeless], {}, { products: [productToBuy({ limitConcurrent: 0 })] }),
    newBuy(customer, [lock, kimsLock, leesLock, disabledLock, revokedLock], {}, borrowed),
    newBuy(customer, [frozenLock], { licenseType: 'softkey' }, borrowed),
    newBuy(neighbour.customer, [elsewhere]),
    newBuy(neighbour.customer, [lockElsewhere], {}, borrowed),
    deleteAsset(customer, [revoked, revokedLock]),
    deleteProduct(customer, [emptied]),
  );
  const bought = await stack.db.selectFrom('asset').select(['id', 'asset_num']).execute();
  const idOf = new Map(bought.map((row) => [row.asset_num, row.id]));
  ids = Object.fromEntries(Object.entries(nums).map(([name, num]) => [name, idOf.get(num)])) as unknown as typeof ids;
  dataOf(await api.call('POST', '/asset/lock', { body: { assetNums: [disabledLock], operatorIdentity: 'Ada' } }));
  await stack.db.updateTable('asset').set({ freezing: true }).where('asset_num', '=', frozenLock).execute();

  await center.assign(kim, kims, kimsLent, nodeless, emptied);
  await center.assign(lee, lees, leesLent);
  dataOf(await center.lend(kim, kimsLock, [ids.kimsLent]));
  dataOf(await center.lend(lee, leesLock, [ids.leesLent]));
  tables = await contents();
});
afterAll(() => stack.close());

/** Reads what must not change. Nonces, tokens and failed logins are left out: calls use up the first, the sweep the others. */
async function contents() {
  const { access_token: _tokens, login_failure: _failures, ...others } = await contentOfTables(stack.db);
  return others;
}

const listing = (by: MemberCenter, what: string) => by.call('GET', `/enterprise/${by.enterpriseId}/asset/${what}`);
const contentsOf = (assetId: string, by = center) => by.call('GET', `/enterprise/asset/${assetId}/merchandiseProducts`);

/** What is refused, and what the message names: the path of the field, if there is one. */
type Row = [
  operation: string,
  how: string,
  code: string,
  cause: Cause,
  says: string | (() => string),
  call: () => Promise<Answer>,
];

/** Employees that the enterprise does not have, as a path names them. */
const NOBODY: [who: string, memberId: () => string][] = [
  ['nobody', () => '999999999'],
  ['an employee of another enterprise', () => neighbour.cloudId],
  ['a deleted employee', () => gone],
  ['a zero before an id', () => `0${kim}`],
  ['more than 63 bits', () => '9'.repeat(19)],
  ['a word', () => 'kim'],
  ['U+0000', () => '%00'],
];
const FOR_NOBODY = NOBODY.flatMap(([who, memberId]): Row[] => {
  const says = () => `The enterprise has no employee ${decodeURIComponent(memberId())}.`;
  const refused = ['60026', 'employee_not_matched', says] as const;
  // The employee is checked before the assets.
  return [
    ['M9', who, ...refused, () => center.configure(memberId(), [UNKNOWN], [nums.elsewhere])],
    ['M10', who, ...refused, () => center.lend(memberId(), UNKNOWN, [ids.elsewhere])],
  ];
});

const noAsset = (assetNum: string) =>
  `addAssets[0]: the enterprise has no asset number ${assetNum} that can be assigned`;
const notHeld = (assetNum: string) => `deleteAssets[0]: the employee does not hold asset ${assetNum}`;
const assign = (...assetNums: string[]) => center.configure(kim, [], assetNums);
const withdraw = (...assetNums: string[]) => center.configure(kim, assetNums, []);

const ON_ASSETS: Row[] = [
  ...['assetNums', 'borrowUsbKeys'].map(
    (what, index): Row => [
      index === 0 ? 'M6' : 'M8',
      'an enterprise without a customer',
      '60017',
      'customer_not_bound',
      'not bound to an authorized customer',
      () => listing(unbound, what),
    ],
  ),
  [
    'M7',
    'an enterprise without a customer',
    '60017',
    'customer_not_bound',
    'not bound',
    () => contentsOf('1', unbound),
  ],
  ...(
    [
      ['nothing', () => '999999999'],
      ['an asset of another enterprise', () => ids.elsewhere],
      ['a revoked asset', () => ids.revoked],
      ['a number', () => nums.free],
      ['more than 63 bits', () => '9'.repeat(19)],
      ['a word', () => 'asset'],
      ['U+0000', () => '%00'],
    ] satisfies [string, () => string][]
  ).map(([how, id]): Row => ['M7', how, '60024', 'asset_id_not_found', 'no active asset', () => contentsOf(id())]),

  ['M9', 'a missing list', '40000', 'field_missing', 'addAssets: ', () => center.configure(kim, [], undefined)],
  ['M9', 'an unknown number', '60024', 'asset_number_not_found', noAsset(UNKNOWN), () => assign(UNKNOWN)],
  ['M9', 'a revoked asset', '60024', 'asset_number_not_found', noAsset(nums.revoked), () => assign(nums.revoked)],
  ['M9', 'a borrowed lock', '60024', 'asset_number_not_found', noAsset(nums.lock), () => assign(nums.lock)],
  ['M9', 'what is unknown back', '60024', 'asset_not_withdrawable', notHeld(UNKNOWN), () => withdraw(UNKNOWN)],
  ['M9', 'what nobody holds back', '60024', 'asset_not_withdrawable', notHeld(nums.free), () => withdraw(nums.free)],
  ['M9', 'what another holds back', '60024', 'asset_not_withdrawable', notHeld(nums.lees), () => withdraw(nums.lees)],
  ['M9', 'a lock back', '60024', 'asset_not_withdrawable', notHeld(nums.kimsLock), () => withdraw(nums.kimsLock)],
  [
    'M9',
    'the same back twice',
    '60024',
    'asset_not_withdrawable',
    `deleteAssets[1]: the employee does not hold asset ${nums.kims}`,
    () => withdraw(nums.kims, nums.kims),
  ],
  [
    'M9',
    "another enterprise's asset, after one that can be had",
    '60025',
    'asset_of_other_enterprise',
    `addAssets[1]: asset ${nums.elsewhere} belongs to another enterprise`,
    () => assign(nums.free, nums.elsewhere),
  ],
  [
    'M9',
    "another enterprise's asset back, before an unknown one is assigned",
    '60025',
    'asset_of_other_enterprise',
    `deleteAssets[0]: asset ${nums.elsewhere} belongs to another enterprise`,
    () => center.configure(kim, [nums.elsewhere], [UNKNOWN]),
  ],
  [
    'M9',
    'the same twice',
    '60028',
    'asset_configured_twice',
    `addAssets[1]: asset ${nums.free} is named before`,
    () => assign(nums.free, nums.free),
  ],
  [
    'M9',
    'what he holds',
    '60028',
    'asset_configured_twice',
    `addAssets[0]: asset ${nums.kims}`,
    () => assign(nums.kims),
  ],
  ['M9', 'what another holds', '60028', 'asset_configured_twice', 'addAssets[0]: ', () => assign(nums.lees)],
];

const { lock } = nums;
const lend = (lockNum: string, assetIds: () => string[]) => () => center.lend(kim, lockNum, assetIds());
const notUsable = (lockNum: string) => `borrowedUsbKey: ${lockNum} is not a borrowed lock`;

const ON_LENDING: Row[] = [
  ['M10', 'no asset', '40000', 'field_invalid', 'assetIDs: must not be empty', lend(lock, () => [])],
  ['M10', 'a missing lock', '40000', 'field_missing', 'borrowedUsbKey: is required', lend('', () => [ids.kims])],
  ...(
    [
      ['that nobody has', UNKNOWN],
      ['that is none', nums.free],
      ['that is disabled', nums.disabledLock],
      ['that is frozen', nums.frozenLock],
      ['that is revoked', nums.revokedLock],
      ['of another enterprise', nums.lockElsewhere],
    ] satisfies [string, string][]
  ).map(
    // The lock is checked before the assets.
    ([how, num]): Row => [
      'M10',
      `a lock ${how}`,
      '33008',
      'borrowed_lock_unusable',
      notUsable(num),
      lend(num, () => [ids.lees]),
    ],
  ),
  [
    'M10',
    'a lock that another lends into',
    '33018',
    'borrowed_lock_taken',
    `borrowedUsbKey: lock ${nums.leesLock} is lent to another employee`,
    lend(nums.leesLock, () => [ids.lees]),
  ],
  ...(
    [
      ['that nobody holds', () => ids.free],
      ['that another holds', () => ids.lees],
      ['that is a borrowed lock', () => ids.kimsLock],
      ['that is revoked', () => ids.revoked],
      ['of another enterprise', () => ids.elsewhere],
      ['that nobody has', () => '999999999'],
      ['of more than 63 bits', () => '9'.repeat(19)],
    ] satisfies [string, () => string][]
  ).map(
    ([how, id]): Row => [
      'M10',
      `an asset ${how}, after one that can be lent`,
      '33003',
      'asset_not_held',
      () => `assetIDs[1]: the employee holds no asset with id ${id()};`,
      lend(lock, () => [ids.kims, id()]),
    ],
  ),
  [
    'M10',
    'an asset that is lent into another lock, before one that he does not hold',
    '33007',
    'asset_lent_elsewhere',
    () => `assetIDs[0]: asset ${ids.kimsLent} is lent into another lock`,
    lend(lock, () => [ids.kimsLent, ids.lees]),
  ],
  ...(['nodeless', 'emptied'] as const).map(
    (name): Row => [
      'M10',
      `an asset that is ${name}`,
      '33006',
      'asset_without_nodes',
      () => `assetIDs[1]: asset ${ids[name]} has no active product with a concurrent node`,
      lend(lock, () => [ids.kims, ids[name]]),
    ],
  ),
];

const REFUSED = [...FOR_NOBODY, ...ON_ASSETS, ...ON_LENDING];

it.each(REFUSED)(
  '%s of %s is refused with %s %s and changes nothing',
  async (_operation, _how, code, cause, says, call) => {
    const refusal = refusalOf(await call());
    expect(refusal).toMatchObject({ code, cause });
    expect(refusal.message).toContain(typeof says === 'string' ? says : says());
    expect(await contents()).toEqual(tables);
  },
);

/** The codes of M6 to M10, with the operations that the interface and rules 8 name for each. */
const DOCUMENTED: Record<string, string[]> = {
  '40000': ['M10', 'M9'],
  '60017': ['M6', 'M7', 'M8'],
  '60024': ['M7', 'M9'],
  '60025': ['M9'],
  '60026': ['M10', 'M9'],
  '60028': ['M9'],
  '33003': ['M10'],
  '33006': ['M10'],
  '33007': ['M10'],
  '33008': ['M10'],
  '33018': ['M10'],
};

it('tries every code for every operation that it is documented for', () => {
  const operations = Map.groupBy(REFUSED, ([, , code]) => code);
  const tried = [...operations].map(([code, rows]) => [code, [...new Set(rows.map(([name]) => name))].toSorted()]);
  expect(Object.fromEntries(tried)).toEqual(DOCUMENTED);
});

it('tries every cause of these codes', () => {
  const codes = Object.keys(DOCUMENTED).filter((code) => code !== '40000');
  const known = (Object.keys(causes) as Cause[]).filter((cause) => codes.includes(codeOf(cause, 'member')));
  const tried = new Set(REFUSED.flatMap(([, , code, cause]) => (codes.includes(code) ? [cause] : [])));
  expect([...tried].toSorted()).toEqual(known.toSorted());
});

it('assigns and lends what was named beside the faults', async () => {
  dataOf(await center.configure(kim, [nums.nodeless], [nums.free]));
  dataOf(await center.lend(kim, nums.lock, [ids.kims, ids.free]));
  expect(await contents()).not.toEqual(tables);
});
