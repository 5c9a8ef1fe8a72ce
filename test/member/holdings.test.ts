import { randomUUID } from 'node:crypto';
import type { AssetId, Cause, Customer, LicenseOrderId, MerchandiseNode, ProductNode } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { countRows, recordQueries } from '../harness/databases/explain.ts';
import { pastTriggers } from '../harness/databases/past-triggers.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { idsOfNumbers, insertEmployees } from '../harness/members/holdings.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import {
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/**
 * The assignments and loans of employees, over HTTP (interface M6 to M10; rules 8). For what ends them, see
 * holding-ends.test.ts.
 */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
/** Another enterprise, whose administrator uses the same application. */
const elsewhere = await MemberCenter.open(stack, center.api);

const BORROWED = { borrowedUsbKey: true };
/** Impossible IDs: too large, in another notation, or without digits. */
const NO_IDS = ['9999999999999999999', '0', '007', 'abc', '1e3', '-1', '1'.repeat(20), '%00', "1'%20or%201=1"];

/**
 * Buys numbers for a customer in one order, each with a product. `element` and `order` change the request. Returns the
 * order's ID.
 */
async function buy(customer: Customer, assetNums: string[], element: Sent = {}, order: Sent = {}): Promise<string> {
  const [accepted] = await center.api.carryOut(newBuy(customer, assetNums, order, element));
  return accepted!.licenseOrderId;
}

describe('M6 and M8', async () => {
  const own = await MemberCenter.open(stack, center.api);

  it('list the active assets of all customers of an enterprise, oldest first, and nothing else', async () => {
    expect([await own.assets(), await own.locks()]).toEqual([[], []]);
    const industry = await own.industryCustomer();
    const nums = Array.from({ length: 8 }, newAssetNum) as [string, ...string[]];
    const [first, firstLock, held, lent, lock, revoked, revokedLock, foreign] = nums as Required<typeof nums>;
    await buy(own.customer, [first!]);
    await buy(industry, [firstLock!], BORROWED);
    await buy(industry, [held!], {}, { licenseType: 'cloud_account' });
    await buy(own.customer, [lent!]);
    await buy(own.customer, [lock!], BORROWED);
    await buy(own.customer, [revoked!]);
    await buy(own.customer, [revokedLock!], BORROWED);
    await buy(center.customer, [foreign!]);
    await own.api.carryOut(deleteAsset(own.customer, [revoked!, revokedLock!]));
    const [firstId, firstLockId, heldId, lentId, lockId] = await idsOfNumbers(stack.db, nums.slice(0, 5));
    await own.assign(own.adminId, held!);
    await own.assign(own.cloudId, lent!);
    dataOf(await own.lend(own.cloudId, lock!, [lentId]));

    const isFree = { borrowedFlag: false, cloudAccountGlobalId: null };
    const assets = await own.assets();
    expect(assets.map(({ validity: _, verdict: __, ...asset }) => asset)).toEqual([
      { assetNum: first, assetId: firstId, ...isFree, onlineFlag: false },
      { assetNum: held, assetId: heldId, ...isFree, cloudAccountGlobalId: own.adminId, onlineFlag: false },
      { assetNum: lent, assetId: lentId, borrowedFlag: true, cloudAccountGlobalId: own.cloudId, onlineFlag: false },
    ]);
    expect(await own.locks()).toEqual([
      { assetNum: firstLock, assetId: firstLockId, ...isFree },
      { assetNum: lock, assetId: lockId, borrowedFlag: true, cloudAccountGlobalId: own.cloudId },
    ]);
  });
});

describe('M6, M8 and O8 in pages', async () => {
  const own = await MemberCenter.open(stack, center.api);
  const other = await MemberCenter.open(stack, center.api);
  for (const by of [own, other]) {
    await by.buyLocks(5);
    await by.buy(5, { licenseType: 'cloud_customer' });
  }
  const o8Path = `/asset/${own.enterpriseId}/list`;
  type List = [name: string, ask: (query?: Record<string, string>, by?: MemberCenter) => Promise<Answer>];

  describe.each<List>([
    ['M6', (query = {}, by = own) => by.ask('listEnterpriseAssets', {}, { query })],
    ['M8', (query = {}, by = own) => by.ask('listBorrowedLocks', {}, { query })],
    ['O8', (query = {}, by = own) => by.api.call('GET', o8Path.replace(own.enterpriseId, by.enterpriseId), { query })],
  ])('%s', (_, ask) => {
    it('by number have what the whole list has, in its order', async () => {
      const all = dataOf(await ask());
      const page = { orderBy: null, total: 5, navigatePages: 8 };
      expect(dataOf(await ask({ pageSize: '2', pageNum: '3' }))).toMatchObject({
        ...page,
        list: all.slice(4),
        nextCursor: null,
      });
      expect(dataOf(await ask({ pageNum: '1' }))).toMatchObject({ ...page, pageSize: 100, list: all });
      expect(dataOf(await ask({ pageNum: '', pageSize: '', cursor: '' }))).toEqual(all);
    });

    it('by cursor go on where they were, whatever number they are given', async () => {
      const all = dataOf(await ask());
      const first = dataOf(await ask({ pageSize: '3' }));
      expect(first).toMatchObject({ pageNum: 1, pageSize: 3, list: all.slice(0, 3) });
      const second = dataOf(await ask({ pageSize: '3', cursor: first.nextCursor, pageNum: '2' }));
      expect(second).toMatchObject({ pageNum: 2, startRow: 4, endRow: 5, list: all.slice(3), nextCursor: null });
      const stolen = refusalOf(await ask({ cursor: first.nextCursor }, other));
      expect(stolen).toMatchObject({ cause: 'field_invalid' });
    });

    it.each(['0', '501', 'x'])('refuse the size %s', async (pageSize) => {
      expect(refusalOf(await ask({ pageSize }))).toMatchObject({
        cause: 'field_invalid',
        faults: [{ path: 'pageSize' }],
      });
    });
  });
});

it('M6 to M8 and the seats are refused to an enterprise without an authorized customer', async () => {
  const unbound = await MemberCenter.open(stack, center.api);
  await pastTriggers(stack.db, ['customer'], (trx) =>
    trx.deleteFrom('customer').where('enterprise_id', '=', unbound.enterpriseId).execute(),
  );
  const answers = await Promise.all([
    ...(['listEnterpriseAssets', 'listBorrowedLocks', 'getSeats'] as const).map((id) => unbound.ask(id, {})),
    unbound.ask('readAssetContents', { assetId: '1' }),
  ]);
  const refusal = expect.objectContaining({ code: '60017', cause: 'customer_not_bound' });
  expect(answers.map(refusalOf)).toEqual(answers.map(() => refusal));
});

describe('M7', () => {
  type Tree = Awaited<ReturnType<typeof shown>>;
  const contentsCall = (assetId: string, by = center) =>
    by.call('GET', `/enterprise/asset/${assetId}/merchandiseProducts`);

  /** Returns the contents of an asset, without what M7 says of the asset itself. */
  async function shown(assetId: string) {
    const { productInstanceList, children } = await center.contents(assetId);
    return { productInstanceList, children };
  }

  /** Returns the IDs and times of the products (by productUri) or merchandise (by number) on an asset. */
  async function stored(table: 'product_instance' | 'merchandise_instance', assetNum: string) {
    const key = sql.ref(table === 'product_instance' ? 'product_uri' : 'merchandise_num');
    const inside = sql.ref(table === 'product_instance' ? 'merchandise_id' : 'parent_id');
    const milliseconds = (column: string) => sql`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
    const { rows } = await sql<{ key: string; id: string; inside: string | null; created: number; updated: number }>`
      select ${key} as key, row.id, ${inside} as inside,
        ${milliseconds('row.created_time')} as created, ${milliseconds('row.updated_time')} as updated
      from ${sql.table(table)} as row join asset on asset.id = asset_id
      ${table === 'product_instance' ? sql`join product_terms on product_terms.id = terms_id` : sql``}
      where asset_num = ${assetNum} and row.revoked_time is null`.execute(stack.db);
    return new Map(
      rows.map(({ created, updated, ...row }) => [row.key, { ...row, createTime: created, updateTime: updated }]),
    );
  }

  /** Returns what M7 must show of products and merchandise on an asset, from what was sent. */
  async function nodesOn(assetNum: string, ofAll: { licenseOrderId: LicenseOrderId; channelOrderId: string }) {
    const products = await stored('product_instance', assetNum);
    const merchandises = await stored('merchandise_instance', assetNum);
    const [assetId] = (await idsOfNumbers(stack.db, [assetNum])) as AssetId[];
    const pick = <Node>(sent: Sent, names: string) =>
      Object.fromEntries(names.split(' ').map((name) => [name, sent[name]])) as Node;
    const ofProduct = 'productUri productName crmProductId limitConcurrent limitTimeDuration trial trialEndDate';
    const ofMerchandise = 'merchandiseNum merchandiseName parentMerchandiseNum timeDurationExpression';
    const common = {
      licenseType: 'normal_recover_usbkey' as const,
      customerId: center.customer.customerId,
      channelCode: 'shop',
      srcLicenseOrderId: null,
      ...ofAll,
    };
    const product = (sent: Sent, changes: Partial<ProductNode> = {}): ProductNode => {
      const { key: _, inside, ...row } = products.get(sent.productUri as string)!;
      return {
        ...common,
        ...row,
        ...pick<ProductNode>(sent, `${ofProduct} timeDurationExpression`),
        assetId: assetId!,
        assetInsId: assetId!,
        merchandiseInsId: inside,
        assetNum,
        gmsPid: '',
        appKey: '',
        limitStartTime: null,
        limitEndTime: null,
        validity: 'active',
        limitAmount: 0,
        limitType: 'basic',
        prodDefExtend: false,
        activateFlag: true,
        productExtendInstanceList: [],
        ...changes,
      };
    };
    const merchandise = (sent: Sent): MerchandiseNode => {
      const { key: _, inside, ...row } = merchandises.get(sent.merchandiseNum as string)!;
      const children = ((sent.children ?? []) as Sent[]).map(merchandise);
      const productInstanceList = (sent.licenseOrderProductList as Sent[]).map((each) => product(each));
      return {
        ...common,
        ...row,
        ...pick<MerchandiseNode>(sent, ofMerchandise),
        parentId: inside,
        children: children.length > 0 ? children : null,
        productInstanceList: productInstanceList.length > 0 ? productInstanceList : null,
      };
    };
    return { product, merchandise };
  }

  const FEATURE = { featureName: 'Rebar', featureValue: 'on', featureValueType: 'text', trial: 1 as const };

  /** Buys a number with nested merchandise in a batch of its own. Returns the contents that M7 must show. */
  async function buyTree(assetNum: string): Promise<Tree> {
    const source = (await buy(center.customer, [newAssetNum()])) as LicenseOrderId;
    const own = { gmsPid: 'pid-1', appKey: 'app-1', srcLicenseOrderId: source };
    const product = (productUri: string, changes: Sent = {}) => productToBuy({ productUri, ...changes });
    const [full, plain] = [
      product('gms-full', {
        ...own,
        crmProductId: 'crm-full',
        productName: '造价 Estimator',
        limitConcurrent: 7,
        limitTimeDuration: 3_600,
        trial: 1,
        trialEndDate: 1_800,
        timeDurationExpression: '0-6-0',
        limitStartDate: 1_000,
        limitEndDate: 4_000_000_002_000,
        passwords: ['secret'],
        productFeatures: [
          { ...FEATURE, featureCode: 'f-1', trialEndDate: '1970-01-02T00:00:00Z' },
          { ...FEATURE, featureCode: 'f-2', trialEndDate: 1_800 },
        ],
      }),
      product('gms-plain', { limitConcurrent: 0 }),
    ];
    const third = merchandise({
      merchandiseNum: 'M-1-1-1',
      parentMerchandiseNum: 'M-1-1',
      children: null,
      licenseOrderProductList: [product('gms-deepest', { limitConcurrent: 2 })],
    });
    const second = merchandise({
      merchandiseNum: 'M-1-1',
      parentMerchandiseNum: 'M-1',
      merchandiseName: 'Inner',
      children: [third],
      licenseOrderProductList: [product('gms-inner-1'), product('gms-inner-2')],
    });
    const empty = merchandise({
      merchandiseNum: 'M-1-2',
      parentMerchandiseNum: 'M-1',
      timeDurationExpression: '2-0-0',
      licenseOrderProductList: [],
    });
    const merchandises = [
      merchandise({ children: [second, empty], licenseOrderProductList: [product('gms-outer')] }),
      merchandise({ merchandiseNum: 'M-2', licenseOrderProductList: [product('gms-second')] }),
    ];
    const batch = { channelCode: 'shop', channelOrderId: randomUUID(), syncMode: 'sync' };
    const orderList = [newBuy(center.customer, [assetNum], {}, { products: [full, plain], merchandises })];
    const [accepted] = await center.api.accept({ ...batch, orderList });
    const { licenseOrderId } = accepted!;
    const on = await nodesOn(assetNum, { licenseOrderId, channelOrderId: batch.channelOrderId });
    const ofFull: Partial<ProductNode> = {
      ...own,
      limitStartTime: 1_000,
      limitEndTime: 4_000_000_002_000,
      limitType: 'feature',
      prodDefExtend: true,
      productExtendInstanceList: [
        { ...FEATURE, featureCode: 'f-1', trialEndDate: 86_400_000 },
        { ...FEATURE, featureCode: 'f-2', trialEndDate: 1_800 },
      ],
    };
    return {
      productInstanceList: [on.product(full!, ofFull), on.product(plain!)],
      children: merchandises.map(on.merchandise),
    };
  }

  let assetNum: string;
  let assetId: string;
  let tree: Tree;
  beforeEach(async () => {
    assetNum = newAssetNum();
    tree = await buyTree(assetNum);
    [assetId] = (await idsOfNumbers(stack.db, [assetNum])) as [string];
  });

  const urisIn = ({ productInstanceList }: { productInstanceList: ProductNode[] | null }) =>
    productInstanceList?.map(({ productUri }) => productUri) ?? null;

  it('shows products and merchandise as they were bought, three levels deep, with every field', async () => {
    expect(await shown(assetId)).toEqual(tree);
  });

  it('shows the same for an asset of any customer of the enterprise, and for a borrowed lock', async () => {
    const lockNum = newAssetNum();
    await buy(await center.industryCustomer(), [lockNum], { ...BORROWED, merchandises: [merchandise()] });
    const [lockId] = await idsOfNumbers(stack.db, [lockNum]);
    const contents = await shown(lockId!);
    expect(urisIn(contents)).toEqual(['gms-100']);
    expect(contents.children.map(urisIn)).toEqual([['gms-100']]);
  });

  it('no longer shows what delete_product revoked, at any depth, nor merchandise that became empty', async () => {
    const carryOut = (productUri: string) =>
      center.api.carryOut(deleteProduct(center.customer, [assetNum], { productUri }));
    for (const productUri of ['gms-deepest', 'gms-inner-1', 'gms-second', 'gms-plain']) await carryOut(productUri);
    const [outer] = tree.children as [MerchandiseNode];
    const [inner, empty] = outer.children as [MerchandiseNode, MerchandiseNode];
    const innerLeft = { ...inner, productInstanceList: [inner.productInstanceList![1]], children: null };
    expect(await shown(assetId)).toEqual({
      productInstanceList: [tree.productInstanceList[0]],
      children: [{ ...outer, children: [innerLeft, empty] }],
    });
  });

  it('shows the contents from every order, in their order, until delete_asset names one as its source', async () => {
    const element = {
      products: [productToBuy({ productUri: 'gms-later' })],
      merchandises: [merchandise({ merchandiseNum: 'M-later' })],
    };
    const firstOrderId = tree.productInstanceList[0]!.licenseOrderId;
    const laterOrderId = await buy(center.customer, [assetNum], element);
    const both = await shown(assetId);
    expect(both.productInstanceList.slice(0, 2)).toEqual(tree.productInstanceList);
    expect(both.productInstanceList.slice(2)).toMatchObject([
      { productUri: 'gms-later', licenseOrderId: laterOrderId, channelCode: 'test' },
    ]);
    expect(both.children.slice(0, 2)).toEqual(tree.children);
    expect(both.children.slice(2)).toMatchObject([{ merchandiseNum: 'M-later', licenseOrderId: laterOrderId }]);

    const revoke = (srcLicenseOrderId: string) =>
      center.api.carryOut(deleteAsset(center.customer, [assetNum], { srcLicenseOrderId }));
    await revoke(firstOrderId);
    expect(await shown(assetId)).toEqual({
      productInstanceList: both.productInstanceList.slice(2),
      children: both.children.slice(2),
    });
    await revoke(laterOrderId);
    expect(refusalOf(await contentsCall(assetId))).toMatchObject({ code: '60024', cause: 'asset_id_not_found' });
  });

  it('shows contents in the order of the orders, whichever process applied them', async () => {
    // Each process reserves its own IDs, so the later order gets the smaller IDs.
    const other = await untilTestsEnd(startAnotherApi(stack, center.api));
    const orderOf = (productUri: string) => {
      const element = { products: [productToBuy({ productUri })], merchandises: [merchandise()] };
      return newBuy(center.customer, [assetNum], {}, element);
    };
    await other.api.carryOut(orderOf('gms-other'));
    await center.api.carryOut(orderOf('gms-last'));
    const { productInstanceList, children } = await shown(assetId);
    expect(urisIn({ productInstanceList })).toEqual(['gms-full', 'gms-plain', 'gms-other', 'gms-last']);
    const orders = productInstanceList.slice(1).map(({ licenseOrderId }) => licenseOrderId);
    expect(children.slice(1).map(({ licenseOrderId }) => licenseOrderId)).toEqual(orders);
  });

  it('moves lent contents to the lock in the order of purchase, and back', async () => {
    const [kim] = (await insertEmployees(stack.db, center, 1)) as [string];
    const [lockNum, otherNum] = [newAssetNum(), newAssetNum()];
    const lockTree = await buyTree(lockNum);
    await buy(center.customer, [lockNum], BORROWED);
    await buy(center.customer, [otherNum]);
    const [lockId, otherId] = (await idsOfNumbers(stack.db, [lockNum, otherNum])) as [string, string];
    const [before, lockBefore, otherBefore] = [tree, await shown(lockId), await shown(otherId)];
    expect(lockBefore.children).toEqual(lockTree.children);
    const nothing = { productInstanceList: [], children: [] };
    // In the order of purchase: the asset, the lock twice, the other asset.
    const together = (...trees: Tree[]) => ({
      productInstanceList: trees.flatMap(({ productInstanceList }) => productInstanceList),
      children: trees.flatMap(({ children }) => children),
    });

    await center.assign(kim, assetNum, otherNum);
    expect(await shown(assetId)).toEqual(before);
    dataOf(await center.lend(kim, lockNum, [assetId]));
    expect(await shown(assetId)).toEqual(nothing);
    expect(await shown(otherId)).toEqual(otherBefore);
    expect(await shown(lockId)).toEqual(together(before, lockBefore));
    dataOf(await center.lend(kim, lockNum, [otherId]));
    expect(await shown(otherId)).toEqual(nothing);
    expect(await shown(lockId)).toEqual(together(before, lockBefore, otherBefore));

    dataOf(await center.configure(kim, [assetNum], []));
    expect(await shown(assetId)).toEqual(before);
    expect(await shown(lockId)).toEqual(together(lockBefore, otherBefore));
    dataOf(await center.configure(kim, [otherNum], []));
    expect(await shown(otherId)).toEqual(otherBefore);
    expect(await shown(lockId)).toEqual(lockBefore);
  });

  it('shows under the lock what is bought onto a lent asset, and not what is revoked from it by its number', async () => {
    const [kim] = (await insertEmployees(stack.db, center, 1)) as [string];
    const lockNum = newAssetNum();
    await buy(center.customer, [lockNum], BORROWED);
    const [lockId] = (await idsOfNumbers(stack.db, [lockNum])) as [string];
    await center.assign(kim, assetNum);
    dataOf(await center.lend(kim, lockNum, [assetId]));
    await buy(center.customer, [assetNum], { products: [productToBuy({ productUri: 'gms-more' })] });
    await center.api.carryOut(deleteProduct(center.customer, [assetNum], { productUri: 'gms-full' }));
    const { productInstanceList } = await shown(lockId);
    expect(productInstanceList.map(({ productUri, assetNum }) => [productUri, assetNum])).toEqual([
      ['gms-plain', assetNum],
      ['gms-100', lockNum],
      ['gms-more', assetNum],
    ]);
  });

  it('finds no asset that is revoked, unknown or of another enterprise', async () => {
    const [revokedNum, foreignNum] = [newAssetNum(), newAssetNum()];
    await buy(center.customer, [revokedNum]);
    await buy(elsewhere.customer, [foreignNum]);
    const assetIds = await idsOfNumbers(stack.db, [revokedNum, foreignNum]);
    await center.api.carryOut(deleteAsset(center.customer, [revokedNum]));
    for (const assetId of [...assetIds, ...NO_IDS]) {
      const refusal = refusalOf(await contentsCall(assetId));
      expect({ assetId, ...refusal }).toMatchObject({ assetId, code: '60024', cause: 'asset_id_not_found' });
    }
    expect(refusalOf(await contentsCall(assetId, elsewhere))).toMatchObject({ cause: 'asset_id_not_found' });
  });
});

/**
 * The holders in the M9 and M10 tests, by names for the numbers. `kim lent` is lent into a lock. A lock's holder is the
 * employee whom it is lent to. `nodeless` has no concurrent node, and the nodes of `hidden` are inside a merchandise.
 */
const BEFORE = {
  free: 'nobody',
  free2: 'nobody',
  kims: 'kim',
  kims2: 'kim',
  nodeless: 'kim',
  hidden: 'kim',
  lent: 'kim lent',
  lees: 'lee',
  leesLent: 'lee lent',
  lock: 'kim',
  lock2: 'nobody',
  leesLock: 'lee',
  disabled: 'nobody',
  frozen: 'nobody',
  frozenFree: 'nobody',
  frozenHeld: 'kim',
};
type Holdings = Record<keyof typeof BEFORE, string>;
/** Assets that the enterprise doesn't have. */
const ABSENT = ['revoked', 'revokedLock', 'foreign', 'foreignLock', 'unknown'] as const;
type Name = keyof Holdings | (typeof ABSENT)[number];

let kim: string;
let lee: string;
let deleted: string;
let numOf: Record<Name, string>;
let idOf: Record<Exclude<Name, 'unknown'>, string>;
const numsOf = (names: readonly Name[]) => names.map((name) => numOf[name]);

async function makeWorld(): Promise<void> {
  [kim, lee, deleted] = (await insertEmployees(stack.db, center, 3)) as [string, string, string];
  const names = [...Object.keys(BEFORE), ...ABSENT] as Name[];
  numOf = Object.fromEntries(names.map((name) => [name, newAssetNum()])) as typeof numOf;
  const { customer, api } = center;
  const order = (owner: Customer, bought: Name[], element?: Sent, changes?: Sent) =>
    newBuy(owner, numsOf(bought), changes, element);
  const nodeless = { products: [productToBuy({ limitConcurrent: 0 }), productToBuy({ limitConcurrent: 0 })] };
  const inner = merchandise({ licenseOrderProductList: [productToBuy({ limitConcurrent: 1 })] });
  const hidden = { products: [], merchandises: [merchandise({ licenseOrderProductList: [], children: [inner] })] };
  await api.carryOut(
    order(customer, ['free', 'free2', 'kims', 'kims2', 'lent', 'lees', 'leesLent', 'revoked']),
    order(customer, ['nodeless'], nodeless),
    order(customer, ['hidden'], hidden),
    order(customer, ['lock', 'lock2', 'leesLock', 'disabled', 'revokedLock'], BORROWED),
    order(customer, ['frozen'], BORROWED, { licenseType: 'softkey' }),
    order(customer, ['frozenFree', 'frozenHeld'], {}, { licenseType: 'softkey' }),
    order(elsewhere.customer, ['foreign']),
    order(elsewhere.customer, ['foreignLock'], BORROWED),
  );
  dataOf(await center.delete(deleted));
  const bought = names.filter((name) => name !== 'unknown');
  const ids = await idsOfNumbers(stack.db, numsOf(bought));
  idOf = Object.fromEntries(bought.map((name, index) => [name, ids[index]])) as typeof idOf;
  await api.carryOut(deleteAsset(customer, numsOf(['revoked', 'revokedLock'])));
  await center.assign(kim, ...numsOf(['kims', 'kims2', 'nodeless', 'hidden', 'lent', 'frozenHeld']));
  await center.assign(lee, ...numsOf(['lees', 'leesLent']));
  await lend(kim, 'lock', ['lent']);
  await lend(lee, 'leesLock', ['leesLent']);
  await change('lock', 'disabled');
  await change('freeze', 'frozen', 'frozenFree', 'frozenHeld');
}

/** Calls M10 and expects success. */
const lend = async (memberId: string, lock: Name, assets: (keyof typeof idOf)[]) =>
  dataOf(await submitLend(memberId, lock, assets));
const submitLend = (memberId: string, lock: Name, assets: (keyof typeof idOf)[]) =>
  center.lend(
    memberId,
    numOf[lock],
    assets.map((name) => idOf[name]),
  );

/** Calls O6 or O7, freezes or unfreezes. */
async function change(how: 'lock' | 'unlock' | 'freeze' | 'unfreeze', ...assets: Name[]): Promise<void> {
  const body = { assetNums: numsOf(assets), operatorIdentity: 'Ada' };
  const results = dataOf(await center.api.call('POST', `/asset/${how}`, { body }));
  expect(results).toEqual(numsOf(assets).map((assetNum) => ({ assetNum, status: 1 })));
}

/** Returns a refusal's code and cause, and the path at the start of its message. */
function faultOf(answer: Answer) {
  const { code, cause, message } = refusalOf(answer);
  return { code, cause, path: pathIn(message) };
}

/** Returns the holders that M6 and M8 show. */
async function holdings(): Promise<Holdings> {
  const nameOf = (memberId: string | null) => (memberId === null ? 'nobody' : memberId === kim ? 'kim' : 'lee');
  const [assets, locks] = [await center.assets(), await center.locks()];
  const holders = new Map([
    ...assets.map(
      ({ assetNum, cloudAccountGlobalId, borrowedFlag }) =>
        [assetNum, `${nameOf(cloudAccountGlobalId)}${borrowedFlag ? ' lent' : ''}`] as const,
    ),
    ...locks.map(({ assetNum, cloudAccountGlobalId }) => [assetNum, nameOf(cloudAccountGlobalId)] as const),
  ]);
  const names = Object.keys(BEFORE) as (keyof Holdings)[];
  return Object.fromEntries(names.map((name) => [name, holders.get(numOf[name])])) as Holdings;
}

/** Makes a world for the tests of a `describe`, none of which may change anything. */
function expectNoChange(): void {
  let before: Awaited<ReturnType<typeof contentOfTables>>;
  beforeAll(async () => {
    await makeWorld();
    before = await contentOfTables(stack.db);
  });
  afterEach(async () => expect(await contentOfTables(stack.db)).toEqual(before));
}

describe('M9', () => {
  describe('succeeds:', () => {
    beforeEach(makeWorld);

    it.each<[what: string, deleteAssets: Name[], addAssets: Name[], changes: Partial<Holdings>]>([
      ['assigns unassigned assets', [], ['free', 'free2'], { free: 'kim', free2: 'kim' }],
      ['withdraws', ['kims2', 'kims'], [], { kims: 'nobody', kims2: 'nobody' }],
      ['withdraws a lent asset, and its lock is free', ['lent'], [], { lent: 'nobody', lock: 'nobody' }],
      ['withdraws and assigns in one call', ['kims'], ['free'], { kims: 'nobody', free: 'kim' }],
      ['withdraws a frozen asset', ['frozenHeld'], [], { frozenHeld: 'nobody' }],
      ['withdraws an asset and assigns it again', ['kims', 'kims2'], ['kims'], { kims2: 'nobody' }],
      ['withdraws and assigns a lent asset, which ends its loan', ['lent'], ['lent'], { lent: 'kim', lock: 'nobody' }],
    ])('%s', async (_, deleteAssets, addAssets, changes) => {
      const answer = await center.configure(kim, numsOf(deleteAssets), numsOf(addAssets));
      expect(answer.body).toEqual({ code: 0, message: 'success', data: null });
      const after: Holdings = { ...BEFORE, ...changes };
      expect(await holdings()).toEqual(after);
      const ofKim = (Object.keys(after) as (keyof Holdings)[]).filter((name) => /^kim( lent)?$/.test(after[name]));
      const listed = (await center.listed(kim))!;
      expect(listed.assetNums.toSorted()).toEqual(numsOf(ofKim.filter((name) => name !== 'lock')).toSorted());
      expect(listed.borrowNum).toBe(after.lock === 'kim' ? numOf.lock : '');
    });

    it('can withdraw an asset and assign it to another employee', async () => {
      dataOf(await center.configure(kim, [numOf.lent], []));
      dataOf(await center.configure(lee, [], [numOf.lent]));
      expect(await holdings()).toEqual({ ...BEFORE, lent: 'lee', lock: 'nobody' });
    });

    it('ignores the spaces around numbers', async () => {
      dataOf(await center.configure(kim, [` ${numOf.kims} `], [`\u3000${numOf.free}`]));
      expect(await holdings()).toEqual({ ...BEFORE, kims: 'nobody', free: 'kim' });
    });
  });

  describe('changes nothing at all', () => {
    expectNoChange();

    it('with two empty lists', async () => {
      dataOf(await center.configure(kim, [], []));
    });

    const NOT_HELD = ['60024', 'asset_not_withdrawable'] as const;
    const NOT_THERE = ['60024', 'asset_number_not_found'] as const;
    const FOREIGN = ['60025', 'asset_of_other_enterprise'] as const;
    const FROZEN = ['60024', 'asset_frozen'] as const;
    const TWICE = ['60028', 'asset_configured_twice'] as const;

    it.each<[deleteAssets: Name[], addAssets: Name[], refusal: readonly [code: string, cause: Cause], path: string]>([
      // Assets that can't be withdrawn.
      [['unknown'], [], NOT_HELD, 'deleteAssets[0]'],
      [['revoked'], [], NOT_HELD, 'deleteAssets[0]'],
      [['free'], [], NOT_HELD, 'deleteAssets[0]'],
      [['lees'], [], NOT_HELD, 'deleteAssets[0]'],
      [['leesLent'], [], NOT_HELD, 'deleteAssets[0]'],
      [['lock'], [], NOT_HELD, 'deleteAssets[0]'],
      [['kims', 'kims'], [], NOT_HELD, 'deleteAssets[1]'],
      [['foreign'], [], FOREIGN, 'deleteAssets[0]'],
      [['foreignLock'], [], FOREIGN, 'deleteAssets[0]'],
      // Assets that can't be assigned.
      [[], ['unknown'], NOT_THERE, 'addAssets[0]'],
      [[], ['revoked'], NOT_THERE, 'addAssets[0]'],
      [[], ['lock'], NOT_THERE, 'addAssets[0]'],
      [[], ['lock2'], NOT_THERE, 'addAssets[0]'],
      [[], ['foreign'], FOREIGN, 'addAssets[0]'],
      [[], ['foreignLock'], FOREIGN, 'addAssets[0]'],
      [[], ['kims'], TWICE, 'addAssets[0]'],
      [[], ['lent'], TWICE, 'addAssets[0]'],
      [[], ['lees'], TWICE, 'addAssets[0]'],
      [[], ['leesLent'], TWICE, 'addAssets[0]'],
      [[], ['free', 'free'], TWICE, 'addAssets[1]'],
      [['kims'], ['kims', 'kims'], TWICE, 'addAssets[1]'],
      [[], ['frozenFree'], FROZEN, 'addAssets[0]'],
      [['frozenHeld'], ['frozenHeld'], FROZEN, 'addAssets[0]'],
      [[], ['frozenHeld'], TWICE, 'addAssets[0]'],
      // Withdrawals come first, and each list is checked in the order sent.
      [['unknown'], ['foreign'], NOT_HELD, 'deleteAssets[0]'],
      [['foreign'], ['unknown'], FOREIGN, 'deleteAssets[0]'],
      [['free', 'foreign'], ['lees'], NOT_HELD, 'deleteAssets[0]'],
      [['kims', 'foreign', 'unknown'], ['free'], FOREIGN, 'deleteAssets[1]'],
      [[], ['lees', 'foreign', 'unknown'], TWICE, 'addAssets[0]'],
      [[], ['foreign', 'lees', 'unknown'], FOREIGN, 'addAssets[0]'],
      [[], ['free', 'lock', 'foreign'], NOT_THERE, 'addAssets[1]'],
      // All or nothing: only the last asset is invalid.
      [['kims', 'lent'], ['free', 'kims', 'unknown'], NOT_THERE, 'addAssets[2]'],
      [['kims', 'lent'], ['free', 'lent', 'lees'], TWICE, 'addAssets[2]'],
      [['kims', 'lent', 'foreign'], ['free'], FOREIGN, 'deleteAssets[2]'],
    ])('that withdraws %j and assigns %j: %j at %s', async (deleteAssets, addAssets, [code, cause], path) => {
      const answer = await center.configure(kim, numsOf(deleteAssets), numsOf(addAssets));
      expect(faultOf(answer)).toEqual({ code, cause, path });
    });

    it('for an unknown employee, which it checks before the numbers', async () => {
      for (const memberId of ['999999999', deleted, elsewhere.cloudId, ...NO_IDS]) {
        const refusal = refusalOf(await center.configure(memberId, [numOf.unknown], [numOf.foreign]));
        expect({ memberId, ...refusal }).toMatchObject({ memberId, code: '60026', cause: 'employee_not_matched' });
      }
    });
  });
});

describe('M10', () => {
  describe('succeeds:', () => {
    beforeEach(makeWorld);

    it.each<[what: string, lock: Name, assets: (keyof typeof idOf)[], changes: Partial<Holdings>]>([
      ['lends one asset', 'lock2', ['kims'], { kims: 'kim lent', lock2: 'kim' }],
      ['lends several assets', 'lock2', ['kims', 'kims2'], { kims: 'kim lent', kims2: 'kim lent', lock2: 'kim' }],
      ['lends more into the same lock later', 'lock', ['kims'], { kims: 'kim lent' }],
      [
        'lends an asset that is already lent there together with another',
        'lock',
        ['lent', 'kims'],
        { kims: 'kim lent' },
      ],
      ['lends an asset once if it is named twice', 'lock2', ['kims', 'kims'], { kims: 'kim lent', lock2: 'kim' }],
      ['lends an asset with its nodes inside a merchandise', 'lock2', ['hidden'], { hidden: 'kim lent', lock2: 'kim' }],
    ])('%s', async (_, lock, assets, changes) => {
      const answer = await submitLend(kim, lock, assets);
      expect(answer.body).toEqual({ code: 0, message: 'success', data: null });
      expect(await holdings()).toEqual({ ...BEFORE, ...changes });
    });

    it('lends into two locks of one employee, and M5 lists both', async () => {
      await lend(kim, 'lock2', ['kims']);
      expect(await holdings()).toEqual({ ...BEFORE, kims: 'kim lent', lock2: 'kim' });
      const { borrowNum } = (await center.listed(kim))!;
      expect(borrowNum.split(',').toSorted()).toEqual(numsOf(['lock', 'lock2']).toSorted());
      dataOf(await center.configure(kim, [numOf.lent], []));
      expect(await center.listed(kim)).toMatchObject({ borrowNum: numOf.lock2 });
    });

    it('lends into a lock that another employee has returned', async () => {
      expect(refusalOf(await submitLend(kim, 'leesLock', ['kims']))).toMatchObject({ cause: 'borrowed_lock_taken' });
      dataOf(await center.configure(lee, [numOf.leesLent], []));
      await lend(kim, 'leesLock', ['kims']);
      expect(await holdings()).toEqual({ ...BEFORE, leesLent: 'nobody', leesLock: 'kim', kims: 'kim lent' });
    });

    it('lends an asset that was withdrawn and assigned again into another lock', async () => {
      expect(refusalOf(await submitLend(kim, 'lock2', ['lent']))).toMatchObject({ cause: 'asset_lent_elsewhere' });
      dataOf(await center.configure(kim, [numOf.lent], [numOf.lent]));
      await lend(kim, 'lock2', ['lent']);
      expect(await holdings()).toEqual({ ...BEFORE, lock: 'nobody', lock2: 'kim' });
    });

    it('refuses a lock that O6 has disabled, until O7 enables it; loans continue', async () => {
      await change('lock', 'lock');
      for (const assets of [['kims'], ['lent']] as const) {
        const refusal = refusalOf(await submitLend(kim, 'lock', [...assets]));
        expect(refusal).toMatchObject({ code: '33008', cause: 'borrowed_lock_unusable' });
      }
      expect(await holdings()).toEqual(BEFORE);
      await change('unlock', 'lock');
      await lend(kim, 'lock', ['kims', 'lent']);
      expect(await holdings()).toEqual({ ...BEFORE, kims: 'kim lent' });
    });

    it('ends loans into a disabled lock', async () => {
      await change('lock', 'lock');
      dataOf(await center.configure(kim, [numOf.lent], []));
      expect(await holdings()).toEqual({ ...BEFORE, lent: 'nobody', lock: 'nobody' });
    });

    it('refuses an asset without its last node, but keeps an existing loan', async () => {
      const revoke = (name: Name) => center.api.carryOut(deleteProduct(center.customer, [numOf[name]]));
      await revoke('kims');
      await revoke('lent');
      expect(refusalOf(await submitLend(kim, 'lock', ['kims']))).toMatchObject({ code: '33006' });
      await lend(kim, 'lock', ['lent']);
      await buy(center.customer, [numOf.kims]);
      await lend(kim, 'lock', ['kims']);
      expect(await holdings()).toEqual({ ...BEFORE, kims: 'kim lent' });
    });

    it('keeps a loan of an asset that is frozen later, and lends it into no other lock', async () => {
      await change('unfreeze', 'frozenHeld');
      await lend(kim, 'lock', ['frozenHeld']);
      await change('freeze', 'frozenHeld');
      await lend(kim, 'lock', ['frozenHeld']);
      expect(refusalOf(await submitLend(kim, 'lock2', ['frozenHeld'])).cause).toBe('asset_lent_elsewhere');
      expect(await holdings()).toEqual({ ...BEFORE, frozenHeld: 'kim lent' });
    });
  });

  describe('changes nothing at all', () => {
    expectNoChange();

    it.each<[what: string, assets: (keyof typeof idOf)[]]>([
      ['what it has already lent', ['lent']],
      ['what it has already lent, twice', ['lent', 'lent']],
    ])('that lends %s', (_, assets) => lend(kim, 'lock', assets));

    const UNUSABLE = ['33008', 'borrowed_lock_unusable'] as const;
    const TAKEN = ['33018', 'borrowed_lock_taken'] as const;
    const NOT_HELD = ['33003', 'asset_not_held'] as const;
    const LENT = ['33007', 'asset_lent_elsewhere'] as const;
    const NO_NODES = ['33006', 'asset_without_nodes'] as const;

    it.each<[assets: (keyof typeof idOf)[], lock: Name, refusal: readonly [code: string, cause: Cause], path: string]>([
      // M10 checks the lock before the assets, none of which could be lent.
      [['lees'], 'unknown', UNUSABLE, 'borrowedUsbKey'],
      [['nodeless'], 'kims', UNUSABLE, 'borrowedUsbKey'],
      [['lees'], 'lees', UNUSABLE, 'borrowedUsbKey'],
      [['lees'], 'revokedLock', UNUSABLE, 'borrowedUsbKey'],
      [['lees'], 'foreignLock', UNUSABLE, 'borrowedUsbKey'],
      [['lees'], 'disabled', UNUSABLE, 'borrowedUsbKey'],
      [['lent'], 'frozen', UNUSABLE, 'borrowedUsbKey'],
      [['lees'], 'leesLock', TAKEN, 'borrowedUsbKey'],
      [['leesLent'], 'leesLock', TAKEN, 'borrowedUsbKey'],
      [['nodeless'], 'leesLock', TAKEN, 'borrowedUsbKey'],
      // Assets that can't be lent.
      [['free'], 'lock', NOT_HELD, 'assetIDs[0]'],
      [['lees'], 'lock', NOT_HELD, 'assetIDs[0]'],
      [['leesLent'], 'lock2', NOT_HELD, 'assetIDs[0]'],
      [['revoked'], 'lock', NOT_HELD, 'assetIDs[0]'],
      [['foreign'], 'lock', NOT_HELD, 'assetIDs[0]'],
      [['lock'], 'lock', NOT_HELD, 'assetIDs[0]'],
      [['lock2'], 'lock', NOT_HELD, 'assetIDs[0]'],
      [['lent'], 'lock2', LENT, 'assetIDs[0]'],
      [['nodeless'], 'lock', NO_NODES, 'assetIDs[0]'],
      [['frozenHeld'], 'lock', ['33003', 'asset_frozen_not_lent'], 'assetIDs[0]'],
      [['frozenFree'], 'lock', NOT_HELD, 'assetIDs[0]'],
      // M10 checks assets in the order sent, and lends all or none.
      [['nodeless', 'lent', 'free'], 'lock2', NO_NODES, 'assetIDs[0]'],
      [['lent', 'free', 'nodeless'], 'lock2', LENT, 'assetIDs[0]'],
      [['free', 'nodeless', 'lent'], 'lock2', NOT_HELD, 'assetIDs[0]'],
      [['kims', 'kims2', 'hidden', 'free'], 'lock2', NOT_HELD, 'assetIDs[3]'],
      [['kims', 'kims2', 'lent'], 'lock2', LENT, 'assetIDs[2]'],
      [['kims', 'lent', 'nodeless'], 'lock', NO_NODES, 'assetIDs[2]'],
    ])('that lends %j into %s: %j at %s', async (assets, lock, [code, cause], path) => {
      expect(faultOf(await submitLend(kim, lock, assets))).toEqual({ code, cause, path });
    });

    it.each<[what: string, refusal: readonly [code: string, cause: Cause], assetId: () => string, lock?: () => string]>(
      [
        ['an ID above all others', NOT_HELD, () => '9999999999999999999'],
        ['the ID 0', NOT_HELD, () => '0'],
        ['the ID 00', NOT_HELD, () => '00'],
        ['an asset by its number', NOT_HELD, () => numOf.kims],
        ['into a lock by its ID', UNUSABLE, () => idOf.kims, () => idOf.lock],
      ],
    )('that lends %s', async (_, [code, cause], assetId, lock = () => numOf.lock) => {
      expect(refusalOf(await center.lend(kim, lock(), [assetId()]))).toMatchObject({ code, cause });
    });

    it('for an unknown employee, which it checks before the lock', async () => {
      for (const memberId of ['999999999', deleted, elsewhere.cloudId, ...NO_IDS]) {
        const refusal = refusalOf(await submitLend(memberId, 'unknown', ['foreign']));
        expect({ memberId, ...refusal }).toMatchObject({ memberId, code: '60026', cause: 'employee_not_matched' });
      }
    });
  });
});

it('an order that lifts the end of a trial keeps its assignment', async () => {
  const { api, customer } = center;
  const assetNum = newAssetNum();
  await api.carryOut(newBuy(customer, [assetNum], {}, { limitEndDate: 1_800_000_000_000 }));
  await center.assign(center.cloudId, assetNum);
  const lift = { transferedAssetNum: true, products: undefined, limitEndDate: 253_402_300_799_999 };
  await api.carryOut(newBuy(customer, [assetNum], {}, lift));
  const asset = dataOf(await api.call('GET', `/asset/${assetNum}`));
  expect(asset).toMatchObject({ limitEndDate: null, assigned: true, products: [{}] });
});

/** Last, because other tests compare digests of whole tables. */
describe('at their limits', () => {
  it('M9 accepts 1,000 numbers to withdraw and 1,000 to assign', async () => {
    const nums = Array.from({ length: 2_000 }, newAssetNum);
    const own = await MemberCenter.open(stack, center.api);
    await buy(own.customer, nums);
    await own.assign(own.cloudId, ...nums.slice(0, 1_000));
    dataOf(await own.configure(own.cloudId, nums.slice(0, 1_000), nums.slice(1_000)));
    expect((await own.listed(own.cloudId))!.assetNums.toSorted()).toEqual(nums.slice(1_000).toSorted());
  });

  it('M10 accepts 1,000 assets', async () => {
    const [lockNum, ...nums] = Array.from({ length: 1_001 }, newAssetNum) as [string, ...string[]];
    const own = await MemberCenter.open(stack, center.api);
    await buy(own.customer, nums);
    await buy(own.customer, [lockNum], BORROWED);
    await own.assign(own.cloudId, ...nums);
    const [lockId, ...assetIds] = await idsOfNumbers(stack.db, [lockNum, ...nums]);
    dataOf(await own.lend(own.cloudId, lockNum, assetIds));
    expect((await own.contents(lockId!)).productInstanceList).toHaveLength(1_001);
  });

  it('M10 reads no asset after the first one without a node', async () => {
    const [lockNum, first, ...others] = Array.from({ length: 5 }, newAssetNum) as [string, string, ...string[]];
    const own = await MemberCenter.open(stack, center.api);
    const products = Array.from({ length: 100 }, () => productToBuy({ limitConcurrent: 0 }));
    await buy(own.customer, [first, ...others], { products });
    await buy(own.customer, [lockNum], BORROWED);
    await own.assign(own.cloudId, first, ...others);
    const sent = recordQueries();
    const refusal = refusalOf(await own.lend(own.cloudId, lockNum, await idsOfNumbers(stack.db, [first, ...others])));
    vi.restoreAllMocks();
    expect(refusal).toMatchObject({ code: '33006', cause: 'asset_without_nodes' });
    const [reading] = sent.filter(({ text }) => text.includes('limit_concurrent >= 1'));
    expect(await countRows(stack.db, reading!)).toBe(products.length);
  });
});
