import type { Customer, Holding, HoldingEnd, HoldingPage, VirtualAsset } from '@lockstep/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { idsOfNumbers, insertEmployees } from '../harness/members/holdings.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * What ends an assignment or a loan. The next call of each operation shows it (rules 6.5 and 8). Each case uses new
 * assets.
 */

const { stack } = await testStack();
const center = await MemberCenter.open(stack);
/** Another enterprise. */
const elsewhere = await MemberCenter.open(stack, center.api);
/** The other customer of the same enterprise. */
const industry = await center.industryCustomer();

/** All assets are cloud licenses, which O8 lists; revoking them needs a source order. */
const CLOUD = { licenseType: 'cloud_customer' };
const NAMES = ['lent', 'held', 'lock'] as const;
type Name = (typeof NAMES)[number];

/** What M5, M6, M7, M8 and O8 show together. Assets that an operation doesn't list are absent. */
interface View {
  /** M5 of Kim: the assigned assets, and the locks that they are lent into. */
  kim?: { holds: Name[]; borrows: Name[] };
  /** M6: the holder of each asset. */
  assets: Partial<Record<Name, 'kim' | 'kim, lent out' | 'nobody'>>;
  /** M8: the employee whom each lock is lent to. */
  locks: Partial<Record<Name, 'kim' | 'nobody'>>;
  /** M7: the assets whose products each asset and lock shows. */
  products: Partial<Record<Name, Name[]>>;
  /** O8: the employee to whom each license is assigned. */
  licenses: Partial<Record<Name, 'kim' | 'nobody'>>;
}

/** Two assets are assigned to Kim. One of them is lent into a lock. */
const BEFORE: Required<View> = {
  kim: { holds: ['lent', 'held'], borrows: ['lock'] },
  assets: { lent: 'kim, lent out', held: 'kim' },
  locks: { lock: 'kim' },
  products: { lent: [], held: ['held'], lock: ['lent', 'lock'] },
  licenses: { lent: 'kim', held: 'kim', lock: 'nobody' },
};

/** The view when the loan has ended and both assets are still assigned to Kim. */
const NOT_LENT: Required<View> = {
  kim: { holds: ['lent', 'held'], borrows: [] },
  assets: { lent: 'kim', held: 'kim' },
  locks: { lock: 'nobody' },
  products: { lent: ['lent'], held: ['held'], lock: ['lock'] },
  licenses: BEFORE.licenses,
};
/** The view when the lent asset is no longer assigned to Kim, either. */
const GIVEN_BACK: Required<View> = {
  ...NOT_LENT,
  kim: { holds: ['held'], borrows: [] },
  assets: { lent: 'nobody', held: 'kim' },
  licenses: { ...BEFORE.licenses, lent: 'nobody' },
};

let kim: string;
let numOf: Record<Name, string>;
let idOf: Record<Name, string>;
/** The order that bought the assets, and the one that bought the lock. */
let sourceOf: Record<Name, string>;

beforeEach(async () => {
  [kim] = (await insertEmployees(stack.db, center, 1)) as [string];
  numOf = { lent: newAssetNum(), held: newAssetNum(), lock: newAssetNum() };
  const { customer, api } = center;
  const [assets, lock] = await api.carryOut(
    newBuy(customer, [numOf.lent, numOf.held], CLOUD),
    newBuy(customer, [numOf.lock], CLOUD, { borrowedUsbKey: true }),
  );
  sourceOf = { lent: assets!.licenseOrderId, held: assets!.licenseOrderId, lock: lock!.licenseOrderId };
  const [lent, held, lockId] = (await idsOfNumbers(stack.db, Object.values(numOf))) as [string, string, string];
  idOf = { lent, held, lock: lockId };
  await center.assign(kim, numOf.lent, numOf.held);
  dataOf(await center.lend(kim, numOf.lock, [idOf.lent]));
});

/** Returns the current view of an enterprise's administrator. Calls all operations at once. */
async function readView(by: MemberCenter): Promise<View> {
  const nameOf = new Map(NAMES.map((name) => [numOf[name], name]));
  const holder = (memberId: string | null) => (memberId === null ? 'nobody' : memberId === kim ? 'kim' : 'a stranger');
  const inOrder = (names: (Name | undefined)[]) => NAMES.filter((name) => names.includes(name));
  const readContents = async (name: Name) => {
    const answer = await by.call('GET', `/enterprise/asset/${idOf[name]}/merchandiseProducts`);
    if (answer.body.code === '60024') return [];
    const { productInstanceList } = dataOf(answer) as { productInstanceList: { assetNum: string }[] };
    return [[name, inOrder(productInstanceList.map(({ assetNum }) => nameOf.get(assetNum)))]];
  };
  const [listed, assets, locks, licenses, products] = await Promise.all([
    by.listed(kim),
    by.assets(),
    by.locks(),
    by.api.call('GET', `/asset/${by.enterpriseId}/list`),
    Promise.all(NAMES.map(readContents)),
  ]);
  const ofWorld = <Entry extends { assetNum: string }>(entries: Entry[], saying: (entry: Entry) => string) =>
    Object.fromEntries(
      entries
        .filter(({ assetNum }) => nameOf.has(assetNum))
        .map((entry) => [nameOf.get(entry.assetNum), saying(entry)]),
    );
  return {
    ...(listed && {
      kim: {
        holds: inOrder(listed.assetNums.map((assetNum) => nameOf.get(assetNum))),
        borrows: inOrder(listed.borrowNum.split(',').map((assetNum) => nameOf.get(assetNum))),
      },
    }),
    assets: ofWorld(
      assets,
      (entry) => `${holder(entry.cloudAccountGlobalId)}${entry.borrowedFlag ? ', lent out' : ''}`,
    ),
    locks: ofWorld(locks, (entry) => holder(entry.cloudAccountGlobalId)),
    products: Object.fromEntries(products.flat()),
    licenses: ofWorld(dataOf(licenses) as VirtualAsset[], ({ assignStatus }) => holder(assignStatus.assignMemberId)),
  };
}

/** Who ended a holding: the order and the administrator, and why. */
type Ender = [licenseOrderId: string | null, endedByGlobalId: string | null, endCause: HoldingEnd | null];

/** Expects what listHoldings says of Kim's assignments and loan, newest first: those that ended, and who ended each. */
async function expectEnded(ended: Partial<Record<'loan' | 'held' | 'lent', Ender>>): Promise<void> {
  const ask = async (query: Record<string, string>) =>
    dataOf(await center.ask('listHoldings', {}, { query })).holdings as Holding[];
  const holdings = await ask({ memberGlobalId: kim });
  const current: Ender = [null, null, null];
  const kinds = { loan: numOf.lent, held: numOf.held, lent: numOf.lent };
  expect(
    holdings.map(({ assetNum, lockAssetNum, licenseOrderId, endedByGlobalId, endCause }) => {
      return [assetNum, lockAssetNum, licenseOrderId, endedByGlobalId, endCause];
    }),
  ).toEqual(
    Object.entries(kinds).map(([kind, assetNum]) => [
      assetNum,
      kind === 'loan' ? numOf.lock : null,
      ...(ended[kind as keyof typeof kinds] ?? current),
    ]),
  );
  expect(new Set(holdings.map(({ memberName }) => memberName))).not.toContain(null);
  const isEnded = ({ endedTime }: Holding) => endedTime !== null;
  expect(await ask({ memberGlobalId: kim, state: 'ended' })).toEqual(holdings.filter(isEnded));
  expect(await ask({ assetNum: numOf.lent, state: 'current' })).toEqual(
    holdings.filter((each) => !isEnded(each) && each.assetNum === numOf.lent),
  );
  expect(await ask({ assetNum: numOf.lock })).toEqual(
    holdings.filter(({ lockAssetNum }) => lockAssetNum === numOf.lock),
  );
  expect(holdings.filter(isEnded)).toHaveLength(Object.keys(ended).length);
}

/** Returns a part of a view without some of its names. */
function without<Part extends Partial<Record<Name, unknown>>>(part: Part, ...names: Name[]) {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !names.includes(name as Name)));
}

const revoke = (name: Name) =>
  deleteAsset(center.customer, [numOf[name]], { ...CLOUD, srcLicenseOrderId: sourceOf[name] });
const buyAgain = (name: Name, owner: Customer, element: Sent = {}) => newBuy(owner, [numOf[name]], CLOUD, element);
const transfer = (name: Name, owner: Customer, element: Sent = {}) =>
  buyAgain(name, owner, { transferedAssetNum: true, ...element });

/** `seenElsewhere`: what the other enterprise sees, if the case says so. */
type Case = [what: string, orders: () => Sent[], after: View, seenElsewhere?: Partial<View>];

const LOST: View = {
  ...GIVEN_BACK,
  assets: without(GIVEN_BACK.assets, 'lent'),
  products: without(GIVEN_BACK.products, 'lent'),
  licenses: without(GIVEN_BACK.licenses, 'lent'),
};
/** What the other enterprise sees of an asset that is transferred to it. */
const ARRIVED: Partial<View> = {
  assets: { lent: 'nobody' },
  products: { lent: ['lent'] },
  licenses: { lent: 'nobody' },
};

const { customer: own } = center;
const asLock = { borrowedUsbKey: true };
const asAsset = { borrowedUsbKey: false };

const ALL_LOST: View = { kim: { holds: [], borrows: [] }, assets: {}, locks: {}, products: {}, licenses: {} };
/** A revoked number that now belongs to a new asset, so the old ID is unknown. */
const REPLACED: View = { ...GIVEN_BACK, products: without(GIVEN_BACK.products, 'lent') };
const LOCK_UNMADE: View = { ...NOT_LENT, assets: { ...NOT_LENT.assets, lock: 'nobody' }, locks: {} };

/** The model (test/model) compares what other orders end. */
const ORDERS: Case[] = [
  ['revokes all of them', () => [revoke('lent'), revoke('held'), revoke('lock')], ALL_LOST],
  ['revokes a lent asset and buys its number again', () => [revoke('lent'), buyAgain('lent', own)], REPLACED],
  ['transfers a lent asset to another enterprise', () => [transfer('lent', elsewhere.customer)], LOST, ARRIVED],
  ['transfers the lock to another customer of the enterprise', () => [transfer('lock', industry)], NOT_LENT],
  [
    'makes a lent asset a borrowed lock and an ordinary asset again',
    () => [buyAgain('lent', own, asLock), buyAgain('lent', own, asAsset)],
    GIVEN_BACK,
  ],
  ['makes the lock an ordinary asset', () => [buyAgain('lock', own, asAsset)], LOCK_UNMADE],
  ['buys onto asset and lock', () => [buyAgain('lent', own), buyAgain('lock', own, asLock)], BEFORE],
];

const NOTHING: View = { assets: {}, locks: {}, products: {}, licenses: {} };

/** Runs a case in one batch. All its orders must succeed. Then compares what every operation shows. */
async function expectAfter([, orders, after, seenElsewhere]: Case): Promise<void> {
  const outcomes = await center.api.process(batchOf(...orders()));
  expect(outcomes.map(({ state, message }) => message ?? state)).toEqual(outcomes.map(() => 'succeeded'));
  expect(await readView(center)).toEqual(after);
  const { holds, borrows } = after.kim!;
  const [first, second] = outcomes.map(({ licenseOrderId }): Ender => [licenseOrderId, null, 'order']);
  const ofLock: Ender = [first![0], null, 'lock'];
  await expectEnded({
    ...(borrows.length === 0 && { loan: holds.includes('lent') ? ofLock : first! }),
    ...(!holds.includes('lent') && { lent: first }),
    ...(!holds.includes('held') && { held: second }),
  });
  if (seenElsewhere !== undefined) expect(await readView(elsewhere)).toEqual({ ...NOTHING, ...seenElsewhere });
}

it('before anything ends, every operation shows the holders', async () => {
  expect(await readView(center)).toEqual(BEFORE);
  expect(await readView(elsewhere)).toEqual(NOTHING);
});

describe('an order', () => {
  it.each(ORDERS)('that %s', (...each) => expectAfter(each));
});

describe('in the member center', () => {
  it('M9 withdraws a lent asset', async () => {
    dataOf(await center.configure(kim, [numOf.lent], []));
    expect(await readView(center)).toEqual(GIVEN_BACK);
    const byAdmin: Ender = [null, center.adminId, 'withdrawn'];
    await expectEnded({ loan: byAdmin, lent: byAdmin });
  });

  it('M9 withdraws a lent asset and assigns it again', async () => {
    dataOf(await center.configure(kim, [numOf.lent], [numOf.lent]));
    expect(await readView(center)).toEqual(NOT_LENT);
  });

  it('M4 deletes the holder', async () => {
    dataOf(await center.delete(kim));
    const { kim: _, ...others } = GIVEN_BACK;
    expect(await readView(center)).toEqual({
      ...others,
      assets: { lent: 'nobody', held: 'nobody' },
      licenses: { lent: 'nobody', held: 'nobody', lock: 'nobody' },
    });
    const byAdmin: Ender = [null, center.adminId, 'employee_deleted'];
    await expectEnded({ loan: byAdmin, held: byAdmin, lent: byAdmin });
  });
});

it('a failed order ends nothing', async () => {
  const orders = [
    newBuy(elsewhere.customer, [numOf.lent, numOf.lock], CLOUD),
    deleteAsset(center.customer, [numOf.lent, newAssetNum()], { ...CLOUD, srcLicenseOrderId: sourceOf.lent }),
  ];
  const outcomes = await Promise.all(orders.map((order) => center.api.process(batchOf(order))));
  expect(outcomes.flat().map(({ cause }) => cause)).toEqual(['asset_owned_by_other_customer', 'asset_not_found']);
  expect(await readView(center)).toEqual(BEFORE);
});

it('a new asset with a revoked one’s number can be assigned and lent to others', async () => {
  const [lee] = (await insertEmployees(stack.db, center, 1)) as [string];
  const { customer, api } = center;
  await api.carryOut(revoke('lent'), revoke('lock'));
  await api.carryOut(buyAgain('lent', customer), buyAgain('lock', customer, { borrowedUsbKey: true }));
  const [assetId, lockId] = (await idsOfNumbers(stack.db, [numOf.lent, numOf.lock])) as [string, string];
  await center.assign(lee, numOf.lent);
  dataOf(await center.lend(lee, numOf.lock, [assetId]));
  expect(await center.listed(lee)).toMatchObject({ assetNums: [numOf.lent], borrowNum: numOf.lock });
  expect(await center.listed(kim)).toMatchObject({ assetNums: [numOf.held], borrowNum: '' });
  expect(assetId).not.toBe(idOf.lent);
  expect(lockId).not.toBe(idOf.lock);
});

it('listHoldings refuses unknown filters, and pages by cursor', async () => {
  const unknown = await center.ask('listHoldings', {}, { query: { holder: kim } as Record<string, string> });
  expect(refusalOf(unknown)).toMatchObject({ code: '40000', cause: 'filter_unknown' });
  const read = async (query: Record<string, string>): Promise<HoldingPage> =>
    dataOf(await center.ask('listHoldings', {}, { query: { memberGlobalId: kim, ...query } }));
  const { holdings } = await read({});
  const first = await read({ limit: '2' });
  const rest = await read({ limit: '2', cursor: first.nextCursor! });
  expect([...first.holdings, ...rest.holdings]).toEqual(holdings);
  expect(rest.nextCursor).toBeNull();
});
