import { type AssetId, type Customer, LicenseType, type MemberId, type VirtualAsset } from '@lockstep/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../../harness/api.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import { deleteAsset, newAssetNum, newBuy, productToBuy, type Sent } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** O8 lists the virtual assets of an enterprise (rules 7). */

const { stack, api } = await testStack({ worker: false });

const CLOUD = { licenseType: 'cloud_customer' };

const submitList = (enterpriseGlobalId: string, query: Record<string, string> = {}) =>
  api.call('GET', `/asset/${encodeURIComponent(enterpriseGlobalId)}/list`, { query });
const list = async (enterpriseGlobalId: string, query?: Record<string, string>): Promise<VirtualAsset[]> =>
  dataOf(await submitList(enterpriseGlobalId, query));
const listNums = async ({ enterpriseGlobalId }: Customer, query?: Record<string, string>) =>
  (await list(enterpriseGlobalId, query)).map(({ assetNum }) => assetNum).toSorted();

/** Buys one cloud account license per element for a customer, in one order. Returns their numbers. */
async function buy(customer: Customer, ...elements: Sent[]): Promise<string[]> {
  const assetNums = elements.map(newAssetNum);
  const assets = elements.map((element, index) => ({
    assetNos: [assetNums[index]],
    products: [productToBuy()],
    ...element,
  }));
  await api.carryOut(newBuy(customer, [], { ...CLOUD, assets }));
  return assetNums;
}

/** Revokes an asset. A cloud license needs the order that bought it. */
async function revoke(customer: Customer, assetNum: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select license_order_id as id from asset_grant join asset on asset.id = asset_id
    where asset_num = ${assetNum} and asset.revoked_time is null`.execute(stack.db);
  await api.carryOut(deleteAsset(customer, [assetNum], { ...CLOUD, srcLicenseOrderId: rows[0]!.id }));
}

/** Reads an active asset's row: its ID, and its times in milliseconds since 1970 as PostgreSQL counts them. */
async function readStored(assetNum: string) {
  const { rows } = await sql<{ id: AssetId; created: string; updated: string }>`
    select id, floor(extract(epoch from created_time) * 1000)::bigint as created,
      floor(extract(epoch from updated_time) * 1000)::bigint as updated
    from asset where asset_num = ${assetNum} and revoked_time is null`.execute(stack.db);
  const { id, created, updated } = rows[0]!;
  return { id, createTime: Number(created), updateTime: Number(updated) };
}

/** The O8 entry of a license bought with a number alone (interface Asset). */
async function plainAsset(customer: Customer, assetNum: string, changes: Partial<VirtualAsset> = {}) {
  const stored = await readStored(assetNum);
  return {
    ...stored,
    licenseType: 'cloud_customer',
    assetNum,
    grantable: true,
    customerId: customer.customerId,
    keyShellNumber: assetNum,
    keyChipType: 2,
    locked: false,
    freezing: false,
    limitStartTime: null,
    limitEndTime: null,
    assignStatus: {
      id: stored.id,
      assignStatus: 'unassigned',
      assignMemberId: null,
      createTime: null,
      updateTime: null,
    },
    assetLimits: null,
    assetExtends: [],
    borrowedUsbKey: false,
    ...changes,
  };
}

/** Assigns an active asset by M9. Returns what O8 shows of that. */
async function assign(center: MemberCenter, assetNum: string, memberId: MemberId) {
  await center.assign(memberId, assetNum);
  const { holdings } = dataOf(await center.ask('listHoldings', {}, { query: { assetNum } }));
  const { id } = await readStored(assetNum);
  const createTime = String(holdings[0].beganTime);
  return { id, assignStatus: 'assigned' as const, assignMemberId: memberId, createTime, updateTime: null };
}

describe('O8 shows an asset', () => {
  it('bought with a number alone', async () => {
    const customer = await api.newCustomer();
    const [assetNum] = await buy(customer, {});
    const answer = await submitList(customer.enterpriseGlobalId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ code: 0, message: 'success', data: [await plainAsset(customer, assetNum!)] });
  });

  it('with its limits, its extended attributes and its lent-lock flag', async () => {
    const customer = await api.newCustomer();
    const [limitStartDate, limitEndDate] = [1_700_000_000_001, 4_102_444_800_999];
    const assetExtendList = [
      { extendCode: 'gxxp', extendValue: '1' },
      { extendCode: 'note' },
      { extendCode: '街', extendValue: ' a "quoted" 😀\\ ' },
    ];
    const [assetNum] = await buy(customer, { limitStartDate, limitEndDate, assetExtendList, borrowedUsbKey: true });
    const [asset, ...others] = await list(customer.enterpriseGlobalId);
    expect(others).toEqual([]);
    const expected = await plainAsset(customer, assetNum!, {
      limitStartTime: limitStartDate,
      limitEndTime: limitEndDate,
      assetExtends: expect.anything(),
      borrowedUsbKey: true,
    });
    expect(asset).toEqual(expected);
    expect(asset!.assetExtends.toSorted((a, b) => a.extendCode.localeCompare(b.extendCode, 'en'))).toEqual(
      [
        { extendCode: 'gxxp', extendValue: '1' },
        { extendCode: 'note', extendValue: '' },
        { extendCode: '街', extendValue: 'a "quoted" 😀\\' },
      ].toSorted((a, b) => a.extendCode.localeCompare(b.extendCode, 'en')),
    );
  });

  it.each([
    ['8000000001', '8000000001'],
    ['AB-12 cd.34', '1234'],
    ['no digits', ''],
    ['007', '007'],
    ['１２3', '123', '123'],
  ])('with the digits of its number %s as keyShellNumber', async (sent, digits, assetNum = sent) => {
    const customer = await api.newCustomer();
    await api.carryOut(newBuy(customer, [sent], CLOUD));
    expect(await list(customer.enterpriseGlobalId)).toMatchObject([{ assetNum, keyShellNumber: digits }]);
  });

  it('with the times of its purchase and its last change', async () => {
    const customer = await api.newCustomer();
    const before = Date.now();
    const [assetNum] = await buy(customer, { limitEndDate: 1_800_000_000_005 });
    const [bought] = await list(customer.enterpriseGlobalId);
    expect(bought!.createTime).toBeGreaterThanOrEqual(before);
    expect(bought!.createTime).toBeLessThanOrEqual(Date.now());
    expect(bought!.updateTime).toBe(bought!.createTime);
    const element = { limitStartDate: 4, borrowedUsbKey: true, assetExtendList: [{ extendCode: 'a' }] };
    await api.carryOut(newBuy(customer, [assetNum!], CLOUD, element));
    const [extended] = await list(customer.enterpriseGlobalId);
    expect(extended).toEqual({
      ...bought,
      updateTime: (await readStored(assetNum!)).updateTime,
      limitStartTime: 4,
      assetExtends: [{ extendCode: 'a', extendValue: '' }],
      borrowedUsbKey: true,
    });
    expect(extended!.updateTime).toBeGreaterThan(bought!.updateTime);
  });
});

describe('O8 lists', () => {
  it('nothing for an enterprise without purchases', async () => {
    const { enterpriseId } = await MemberCenter.open(stack, api);
    expect((await submitList(enterpriseId)).body).toEqual({ code: 0, message: 'success', data: [] });
  });

  it('the assets of all customers of the enterprise, and of no other', async () => {
    const center = await MemberCenter.open(stack, api);
    const { enterpriseId: enterpriseGlobalId, customer } = center;
    const industry = await center.industryCustomer();
    const bound = await api.newCustomer(customer.enterpriseName);
    expect(bound.enterpriseGlobalId).toBe(enterpriseGlobalId);
    const stranger = await api.newCustomer();
    const [strange] = await buy(stranger, {});
    const bought = [];
    for (const each of [bound, customer, industry, customer]) {
      const [assetNum] = await buy(each, {});
      bought.push(await plainAsset(each, assetNum!));
    }
    const byNumber = (a: { assetNum: string }, b: { assetNum: string }) => (a.assetNum < b.assetNum ? -1 : 1);
    expect((await list(enterpriseGlobalId)).toSorted(byNumber)).toEqual(bought.toSorted(byNumber));
    expect(await list(stranger.enterpriseGlobalId)).toEqual([await plainAsset(stranger, strange!)]);
  });

  it('no assets of other license types', async () => {
    const others = LicenseType.options.filter((type) => type !== CLOUD.licenseType);
    const customer = await api.newCustomer();
    await api.carryOut(...others.map((licenseType) => newBuy(customer, [newAssetNum()], { licenseType })));
    expect(await list(customer.enterpriseGlobalId)).toEqual([]);
    const [assetNum] = await buy(customer, {});
    expect(await listNums(customer)).toEqual([assetNum]);
  });

  it('active assets: a revoked asset is gone, and bought again it is a different one', async () => {
    const customer = await api.newCustomer();
    const [kept, gone] = await buy(
      customer,
      {},
      { assetExtendList: [{ extendCode: 'old' }], limitEndDate: 1_800_000_000_007 },
    );
    const before = await readStored(gone!);
    await revoke(customer, gone!);
    expect(await list(customer.enterpriseGlobalId)).toEqual([await plainAsset(customer, kept!)]);
    await api.carryOut(newBuy(customer, [gone!], CLOUD));
    const again = (await list(customer.enterpriseGlobalId)).find(({ assetNum }) => assetNum === gone);
    expect(again).toEqual(await plainAsset(customer, gone!));
    expect(again!.id).not.toBe(before.id);
  });
});

describe('O8 with extendCode', () => {
  const CODES = [
    ...['gxxp', 'GXXP', 'gxxp2', '%', '_', '??', '$1'],
    "' or '1'='1",
    ...['"', '\\u0041', 'a b', '街', 'é', '0', '__proto__'],
    'x'.repeat(255),
  ];
  let customer: Customer;
  const numOf = new Map<string, string>();

  beforeAll(async () => {
    customer = await api.newCustomer();
    const elements = CODES.map((extendCode) => ({
      assetExtendList: [{ extendCode, extendValue: `value of ${extendCode}`.slice(0, 255) }],
    }));
    const assetNums = await buy(customer, ...elements, {});
    for (const [index, code] of CODES.entries()) numOf.set(code, assetNums[index]!);
    numOf.set('none', assetNums.at(-1)!);
  });

  it.each(CODES)('%s lists the asset that carries exactly this code', async (extendCode) => {
    const [asset, ...others] = await list(customer.enterpriseGlobalId, { extendCode });
    expect(others).toEqual([]);
    const assetExtends = [{ extendCode, extendValue: `value of ${extendCode}`.slice(0, 255) }];
    expect(asset).toEqual(await plainAsset(customer, numOf.get(extendCode)!, { assetExtends }));
  });

  it.each(['', '   ', '\t'])('"%s" lists all assets, like a call without extendCode', async (extendCode) => {
    const all = [...numOf.values()].toSorted();
    expect(await listNums(customer, { extendCode })).toEqual(all);
    expect(await listNums(customer)).toEqual(all);
  });

  it('ignores the blanks around it', async () => {
    expect(await listNums(customer, { extendCode: ' gxxp ' })).toEqual([numOf.get('gxxp')]);
  });

  it('lists every asset that has the code, whichever order set it, with any value', async () => {
    const own = await api.newCustomer();
    const carrying = (...codes: string[]) => ({
      assetExtendList: codes.map((extendCode) => ({ extendCode, extendValue: '' })),
    });
    const [first, second, third] = await buy(own, carrying('a', 'b'), carrying('b', 'c'), carrying('c'));
    expect(await listNums(own, { extendCode: 'b' })).toEqual([first, second].toSorted());
    await api.carryOut(newBuy(own, [third!], CLOUD, carrying('b')));
    expect(await listNums(own, { extendCode: 'b' })).toEqual([first, second, third].toSorted());
    const found = await list(own.enterpriseGlobalId, { extendCode: 'a' });
    expect(found.map(({ assetExtends }) => assetExtends.map(({ extendCode }) => extendCode).toSorted())).toEqual([
      ['a', 'b'],
    ]);
  });

  it('finds only active cloud account licenses of the enterprise', async () => {
    const [own, other] = [await api.newCustomer(), await api.newCustomer()];
    const element = { assetExtendList: [{ extendCode: 'mark', extendValue: '1' }] };
    const [kept, gone] = await buy(own, element, element);
    await buy(other, element);
    await api.carryOut(newBuy(own, [newAssetNum()], { licenseType: 'cloud_account' }, element));
    await revoke(own, gone!);
    expect(await listNums(own, { extendCode: 'mark' })).toEqual([kept]);
  });
});

it('O8 lists assets with the maximum of extended attributes, oldest first', async () => {
  const own = await api.newCustomer();
  const assetExtendList = Array.from({ length: 100 }, (_, index) => ({
    extendCode: `${index}`.padEnd(255, '街'),
    extendValue: '街'.repeat(255),
  }));
  const assetNums: string[] = [];
  for (let count = 0; count < 5; count++) assetNums.push(...(await buy(own, { assetExtendList }, {})));
  const listed = await list(own.enterpriseGlobalId);
  expect(listed.map(({ createTime }) => createTime)).toEqual(listed.map(({ createTime }) => createTime).toSorted());
  expect(listed.map(({ assetNum }) => assetNum).toSorted()).toEqual(assetNums.toSorted());
  for (const { assetNum, assetExtends } of listed) {
    const isFull = assetNums.indexOf(assetNum) % 2 === 0;
    expect(new Set(assetExtends.map(({ extendCode }) => extendCode)).size).toBe(isFull ? 100 : 0);
  }
  const { extendCode } = assetExtendList[0]!;
  expect(await list(own.enterpriseGlobalId, { extendCode })).toEqual(
    listed.filter(({ assetExtends }) => assetExtends.length > 0),
  );
});

it('O8 shows the holder of each asset', async () => {
  const center = await MemberCenter.open(stack, api);
  const { enterpriseId, customer, adminId, cloudId } = center;
  const [one, two, free] = (await buy(customer, {}, {}, {})) as [string, string, string];
  const expected = new Map([
    [one, await plainAsset(customer, one, { assignStatus: await assign(center, one, adminId) })],
    [two, await plainAsset(customer, two, { assignStatus: await assign(center, two, cloudId) })],
    [free, await plainAsset(customer, free)],
  ]);
  const listed = await list(enterpriseId);
  expect(listed).toHaveLength(3);
  for (const asset of listed) expect(asset).toEqual(expected.get(asset.assetNum));
  expect(expected.get(one)!.assignStatus.createTime).toMatch(/^1\d{12}$/);
});

describe('O8 refuses an enterprise', () => {
  it.each(['0', '1', '999999', '9223372036854775807', '9223372036854775808', '9999999999999999999', '0'.repeat(19)])(
    'that does not exist: %s',
    async (enterpriseGlobalId) => {
      const answer = await submitList(enterpriseGlobalId);
      const refusal = refusalOf(answer);
      expect(refusal).toMatchObject({ code: '13004', cause: 'enterprise_not_found' });
      expect(refusal.message).toContain(enterpriseGlobalId);
    },
  );

  it('by its ID with a leading zero', async () => {
    const { enterpriseId } = await MemberCenter.open(stack, api);
    expect(await list(` ${enterpriseId} `)).toEqual([]);
    for (const query of [{}, { extendCode: 'a' }]) {
      const refusal = refusalOf(await submitList(`0${enterpriseId}`, query));
      expect(refusal).toMatchObject({ code: '13004', cause: 'enterprise_not_found' });
    }
  });
});
