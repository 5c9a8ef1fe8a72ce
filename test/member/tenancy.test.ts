import { type Cause, EmployeePage } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { deleteAsset, merchandise, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Two enterprises with all kinds of data, whose administrators use the same application. The administrator of `ours`
 * tries each path, ID, number and search word of `theirs` in each operation, and gets nothing (rules 8).
 */

const { stack } = await testStack({ worker: false });
for (const [index, table] of ['enterprise', 'customer', 'member', 'member_audit'].entries()) {
  const first = sql.lit(20_000_001 + index * 10_000_000);
  await sql`alter table ${sql.table(table)} alter column id restart with ${first}`.execute(stack.db);
}
const opened = await MemberCenter.open(stack);
const ours = await furnish(opened, 'Ours', 7);
const theirs = await furnish(await MemberCenter.open(stack, opened.api), 'Theirs', 8);

/**
 * Gives an enterprise an employee, `holder`, and a deleted one, assets and locks in every state, and entries of its
 * administrator in the audit log. `secrets` is everything of it that an answer could leak, by kind.
 */
async function furnish(center: MemberCenter, word: string, department: number) {
  const departmentId = Number(`${department}`.repeat(6));
  const person = { name: `Kim of ${word}`, remark: `Remark of ${word}`, passwordMobile: `1391234567${department}` };
  const [kim, gone] = await center.add(newEmployee({ ...person, userName: `kim${word}`, departmentId }), newEmployee());
  const product = productToBuy({ productUri: `uri-${word}`, productName: `Product of ${word}` });
  const inside = productToBuy({ productUri: `inside-${word}`, productName: `Inside of ${word}` });
  const package_ = merchandise({
    merchandiseNum: `M-${word}`,
    merchandiseName: `Package of ${word}`,
    licenseOrderProductList: [inside],
  });
  const content = { products: [product], merchandises: [package_] };
  const [held, lent, free, revoked] = await center.buy(4, {}, content);
  const [usedLock, freeLock] = await center.buyLocks(2);
  const kimId = kim!.globalId;
  const assets = { held: held!, lent: lent!, free: free!, revoked: revoked!, usedLock: usedLock!, freeLock: freeLock! };
  await center.assign(kimId, ...[held, lent, revoked].map((asset) => asset!.assetNum));
  dataOf(await center.lend(kimId, usedLock!.assetNum, [lent!.assetId]));
  await center.api.carryOut(deleteAsset(center.customer, [revoked!.assetNum]));
  dataOf(await center.edit(kimId, { userName: `kim${word}`, name: person.name, remark: `${person.remark}, new` }));
  dataOf(await center.delete(gone!.globalId));

  const contents = await center.contents(held!.assetId);
  const [audited] = await center.audit();
  const secrets: Record<string, string> = {
    enterprise: center.enterpriseId,
    code: center.code,
    customer: center.customer.customerId,
    'channel customer': center.customer.channelCustomerId,
    administrator: center.adminId,
    'the administrator’s account': center.account,
    'cloud employee': center.cloudId,
    employee: kimId,
    'the employee’s short account': `kim${word}`,
    'the employee’s account': kim!.userName,
    ...person,
    department: String(departmentId),
    'deleted employee': gone!.globalId,
    'the deleted employee’s account': gone!.userName,
    ...Object.fromEntries(Object.entries(assets).map(([name, { assetId }]) => [`id of asset ${name}`, assetId])),
    ...Object.fromEntries(Object.entries(assets).map(([name, { assetNum }]) => [`number of asset ${name}`, assetNum])),
    'product instance': contents.productInstanceList[0]!.id,
    'merchandise instance': contents.children[0]!.id,
    'product inside': contents.children[0]!.productInstanceList![0]!.id,
    order: contents.productInstanceList[0]!.licenseOrderId,
    'channel order': contents.productInstanceList[0]!.channelOrderId,
    productUri: `uri-${word}`,
    'product name': `Product of ${word}`,
    'merchandise number': `M-${word}`,
    'request id': audited!.requestId,
  };
  return {
    center,
    id: center.enterpriseId,
    departmentId: String(departmentId),
    holder: { id: kimId, userName: `kim${word}`, account: kim!.userName, name: person.name },
    deleted: { id: gone!.globalId, account: gone!.userName },
    ...assets,
    secrets,
  };
}

type Tenant = Awaited<ReturnType<typeof furnish>>;

/** Returns what an answer shows of a tenant that the call didn't send. */
function leaksIn(answer: Answer, tenant: Tenant, sent: unknown = ''): string[] {
  const [text, request] = [JSON.stringify([answer.body, [...answer.headers]]), JSON.stringify(sent)];
  return Object.entries(tenant.secrets)
    .filter(([, secret]) => isWordOf(text, secret) && !isWordOf(request, secret))
    .map(([what]) => what);
}

function isWordOf(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${word.replaceAll(/\W/g, '\\$&')}(?![\\w-])`).test(text);
}

const PAGE = { pageNum: '1', pageSize: '500' };

/** A call of our administrator. */
interface Attempt {
  method: string;
  path: string;
  body?: unknown;
}

type Trial = [what: string, refusal: { code: string; cause: Cause }, attempt: Attempt];

const NOT_ADMINISTRATOR = { code: '70001', cause: 'not_administrator' } as const;
const EMPLOYEE_NOT_FOUND = { code: '60002', cause: 'employee_not_found' } as const;
const EMPLOYEE_NOT_MATCHED = { code: '60026', cause: 'employee_not_matched' } as const;
const ASSET_ID_NOT_FOUND = { code: '60024', cause: 'asset_id_not_found' } as const;
const OF_OTHER_ENTERPRISE = { code: '60025', cause: 'asset_of_other_enterprise' } as const;
const NUMBER_NOT_FOUND = { code: '60024', cause: 'asset_number_not_found' } as const;
const NOT_WITHDRAWABLE = { code: '60024', cause: 'asset_not_withdrawable' } as const;
const LOCK_UNUSABLE = { code: '33008', cause: 'borrowed_lock_unusable' } as const;
const NOT_HELD = { code: '33003', cause: 'asset_not_held' } as const;

const EDIT = ({ holder }: Tenant) => ({ userName: holder.userName, name: 'Changed' });

const get = (path: string): Attempt => ({ method: 'GET', path });
const post = (path: string, body: unknown): Attempt => ({ method: 'POST', path, body });
const put = (path: string, body: unknown): Attempt => ({ method: 'PUT', path, body });
/** The path of an employee in M2, M3 and M4. */
const memberPath = (enterprise: string, member: string) => `/enterprise/${enterprise}/member/${member}`;
const addTo = (enterprise: string) => post(`/enterprise/${enterprise}/member`, { userList: [newEmployee()] });
const edit = (enterprise: string, member: string, body: unknown) => put(memberPath(enterprise, member), body);
const resetPassword = (enterprise: string, member: string) =>
  put(`${memberPath(enterprise, member)}/resetPassword`, { password: 'battery staple' });
const remove = (enterprise: string, member: string) => ({ method: 'DELETE', path: memberPath(enterprise, member) });
const getContents = (asset: string) => get(`/enterprise/asset/${asset}/merchandiseProducts`);
const configure = (member: string, deleteAssets: string[], addAssets: string[]) =>
  post(`/enterprise/member/${member}/privileges`, { deleteAssets, addAssets });
const configureMany = (enterprise: string, memberGlobalId: string, deleteAssets: string[], addAssets: string[]) =>
  post(`/enterprise/${enterprise}/privileges`, { privileges: [{ memberGlobalId, deleteAssets, addAssets }] });
const lend = (member: string, borrowedUsbKey: string, assetIDs: string[]) =>
  post(`/enterprise/member/${member}/borrow`, { borrowedUsbKey, assetIDs });

const TRIALS: Record<string, Trial[]> = {
  'their enterprise in the path': [
    ['M1', NOT_ADMINISTRATOR, addTo(theirs.id)],
    ['M2 of theirs', NOT_ADMINISTRATOR, edit(theirs.id, theirs.holder.id, EDIT(theirs))],
    ['M2 of ours', NOT_ADMINISTRATOR, edit(theirs.id, ours.holder.id, EDIT(ours))],
    ['M3 of theirs', NOT_ADMINISTRATOR, resetPassword(theirs.id, theirs.holder.id)],
    ['M3 of their administrator', NOT_ADMINISTRATOR, resetPassword(theirs.id, theirs.center.adminId)],
    ['M3 of ours', NOT_ADMINISTRATOR, resetPassword(theirs.id, ours.holder.id)],
    ['M4 of theirs', NOT_ADMINISTRATOR, remove(theirs.id, theirs.holder.id)],
    ['M4 of ours', NOT_ADMINISTRATOR, remove(theirs.id, ours.holder.id)],
    ['M5', NOT_ADMINISTRATOR, get(`/enterprise/${theirs.id}/members?pageNum=1&pageSize=10`)],
    ['M6', NOT_ADMINISTRATOR, get(`/enterprise/${theirs.id}/asset/assetNums`)],
    ['M8', NOT_ADMINISTRATOR, get(`/enterprise/${theirs.id}/asset/borrowUsbKeys`)],
    ['M9 for many', NOT_ADMINISTRATOR, configureMany(theirs.id, theirs.holder.id, [theirs.held.assetNum], [])],
    ['the holdings', NOT_ADMINISTRATOR, get(`/enterprise/${theirs.id}/holdings`)],
    ['the seats', NOT_ADMINISTRATOR, get(`/enterprise/${theirs.id}/seats`)],
    ['the audit log', NOT_ADMINISTRATOR, get(`/enterprise/${theirs.id}/audit?pageNum=1&pageSize=10`)],
  ],
  'their employee in our path': [
    ['M2', EMPLOYEE_NOT_FOUND, edit(ours.id, theirs.holder.id, EDIT(theirs))],
    ['M2 with the name of one of ours', EMPLOYEE_NOT_FOUND, edit(ours.id, theirs.holder.id, EDIT(ours))],
    ['M2 of a deleted employee', EMPLOYEE_NOT_FOUND, edit(ours.id, theirs.deleted.id, EDIT(theirs))],
    ['M3', EMPLOYEE_NOT_FOUND, resetPassword(ours.id, theirs.holder.id)],
    ['M3 of their administrator', EMPLOYEE_NOT_FOUND, resetPassword(ours.id, theirs.center.adminId)],
    ['M3 of an employee without a password', EMPLOYEE_NOT_FOUND, resetPassword(ours.id, theirs.center.cloudId)],
    ['M4', EMPLOYEE_NOT_FOUND, remove(ours.id, theirs.holder.id)],
    ['M4 of their administrator', EMPLOYEE_NOT_FOUND, remove(ours.id, theirs.center.adminId)],
    ['M4 of their enterprise', EMPLOYEE_NOT_FOUND, remove(ours.id, theirs.id)],
    ['M9 with our assets', EMPLOYEE_NOT_MATCHED, configure(theirs.holder.id, [], [ours.free.assetNum])],
    ['M9 with theirs', EMPLOYEE_NOT_MATCHED, configure(theirs.holder.id, [], [theirs.free.assetNum])],
    ['M9 that withdraws theirs', EMPLOYEE_NOT_MATCHED, configure(theirs.holder.id, [theirs.held.assetNum], [])],
    [
      'M9 for many, with ours',
      EMPLOYEE_NOT_MATCHED,
      configureMany(ours.id, theirs.holder.id, [], [ours.free.assetNum]),
    ],
    [
      'M9 for many, with theirs',
      EMPLOYEE_NOT_MATCHED,
      configureMany(ours.id, theirs.holder.id, [theirs.held.assetNum], []),
    ],
    ['M9 with nothing', EMPLOYEE_NOT_MATCHED, configure(theirs.holder.id, [], [])],
    ['M10 with theirs', EMPLOYEE_NOT_MATCHED, lend(theirs.holder.id, theirs.freeLock.assetNum, [theirs.held.assetId])],
    ['M10 with ours', EMPLOYEE_NOT_MATCHED, lend(theirs.holder.id, ours.freeLock.assetNum, [ours.held.assetId])],
  ],
  'their asset in the path': [
    ...(['held', 'lent', 'free', 'revoked', 'usedLock', 'freeLock'] as const).map(
      (which): Trial => [`M7: ${which}`, ASSET_ID_NOT_FOUND, getContents(theirs[which].assetId)],
    ),
    ['M7: a number for an id', ASSET_ID_NOT_FOUND, getContents(theirs.held.assetNum)],
  ],
  'their asset for our employee': [
    ...(['held', 'lent', 'free', 'usedLock', 'freeLock'] as const).flatMap((which): Trial[] => [
      [`M9 that assigns: ${which}`, OF_OTHER_ENTERPRISE, configure(ours.holder.id, [], [theirs[which].assetNum])],
      [`M9 that withdraws: ${which}`, OF_OTHER_ENTERPRISE, configure(ours.holder.id, [theirs[which].assetNum], [])],
      [
        `M9 for many that assigns: ${which}`,
        OF_OTHER_ENTERPRISE,
        configureMany(ours.id, ours.holder.id, [], [theirs[which].assetNum]),
      ],
      [`M10 into ours: ${which}`, NOT_HELD, lend(ours.holder.id, ours.freeLock.assetNum, [theirs[which].assetId])],
    ]),
    // A revoked number has no asset.
    ['M9 that assigns: revoked', NUMBER_NOT_FOUND, configure(ours.holder.id, [], [theirs.revoked.assetNum])],
    ['M9 that withdraws: revoked', NOT_WITHDRAWABLE, configure(ours.holder.id, [theirs.revoked.assetNum], [])],
    ['M9 with an id for a number', NUMBER_NOT_FOUND, configure(ours.holder.id, [], [theirs.free.assetId])],
    [
      'M9 after one of ours',
      OF_OTHER_ENTERPRISE,
      configure(ours.holder.id, [], [ours.free.assetNum, theirs.free.assetNum]),
    ],
    [
      'M9 after a withdrawal of ours',
      OF_OTHER_ENTERPRISE,
      configure(ours.holder.id, [ours.held.assetNum], [theirs.free.assetNum]),
    ],
    [
      'M10 after one of ours',
      NOT_HELD,
      lend(ours.holder.id, ours.freeLock.assetNum, [ours.held.assetId, theirs.held.assetId]),
    ],
    ['M10 with a number for an id', NOT_HELD, lend(ours.holder.id, ours.freeLock.assetNum, [theirs.held.assetNum])],
  ],
  'their lock for our asset': [
    ...(['usedLock', 'freeLock', 'free', 'revoked'] as const).map(
      (which): Trial => [
        `M10: ${which}`,
        LOCK_UNUSABLE,
        lend(ours.holder.id, theirs[which].assetNum, [ours.held.assetId]),
      ],
    ),
    ['M10: an id for a number', LOCK_UNUSABLE, lend(ours.holder.id, theirs.freeLock.assetId, [ours.held.assetId])],
    ['M10 with their assets too', LOCK_UNUSABLE, lend(ours.holder.id, theirs.freeLock.assetNum, [theirs.held.assetId])],
  ],
};

/** Sends an attempt as our administrator. Its path includes the query. */
function send({ method, path, body }: Attempt): Promise<Answer> {
  const [pathname = '', query = ''] = path.split('?');
  return ours.center.call(method, pathname, {
    query: Object.fromEntries(new URLSearchParams(query)),
    ...(body === undefined ? {} : { body }),
  });
}

describe.each(Object.entries(TRIALS))('%s', (_where, trials) => {
  it.each(trials)('%s is refused, changes nothing and reveals nothing', async (_what, refusal, attempted) => {
    const before = await contentOfTables(stack.db);
    const answer = await send(attempted);
    expect(refusalOf(answer)).toMatchObject(refusal);
    expect(leaksIn(answer, theirs, attempted)).toEqual([]);
    expect(await contentOfTables(stack.db)).toEqual(before);
  });
});

describe('an attempt on their data is refused like one on missing data:', () => {
  const NOBODY = '999999999999';

  it.each<[what: string, name: string, attempt: (name: string) => Attempt]>([
    ['the enterprise in M6', theirs.id, (id) => get(`/enterprise/${id}/asset/assetNums`)],
    ['the employee in M2', theirs.holder.id, (id) => edit(ours.id, id, EDIT(theirs))],
    ['the employee in M3', theirs.holder.id, (id) => resetPassword(ours.id, id)],
    ['the employee in M4', theirs.holder.id, (id) => remove(ours.id, id)],
    ['the employee in M9', theirs.holder.id, (id) => configure(id, [], [ours.free.assetNum])],
    ['the employee in M10', theirs.holder.id, (id) => lend(id, ours.freeLock.assetNum, [ours.held.assetId])],
    ['the asset in M7', theirs.held.assetId, getContents],
    ['the asset in M10', theirs.held.assetId, (id) => lend(ours.holder.id, ours.freeLock.assetNum, [id])],
    ['the lock in M10', theirs.freeLock.assetNum, (number) => lend(ours.holder.id, number, [ours.held.assetId])],
  ])('%s', async (_what, name, attempt) => {
    const say = async (name: string) => {
      const answer = await send(attempt(name));
      const { code, cause, message } = refusalOf(answer);
      return { status: answer.status, code, cause, message: message.replaceAll(name, 'it') };
    };
    expect(await say(name)).toEqual(await say(NOBODY));
  });
});

describe('our lists show none of their data:', () => {
  const lists: [name: string, path: string, query: Record<string, string>][] = [
    ['M5', `/enterprise/${ours.id}/members`, PAGE],
    ['M6', `/enterprise/${ours.id}/asset/assetNums`, {}],
    ['M7', `/enterprise/asset/${ours.held.assetId}/merchandiseProducts`, {}],
    ['M7 of a lock', `/enterprise/asset/${ours.usedLock.assetId}/merchandiseProducts`, {}],
    ['M8', `/enterprise/${ours.id}/asset/borrowUsbKeys`, {}],
    ['the holdings', `/enterprise/${ours.id}/holdings`, {}],
    ['the seats', `/enterprise/${ours.id}/seats`, {}],
    ['the audit log', `/enterprise/${ours.id}/audit`, PAGE],
  ];

  it.each(lists)('%s', async (_name, path, query) => {
    const answer = await ours.center.call('GET', path, { query });
    expect(dataOf(answer)).toBeTruthy();
    expect(leaksIn(answer, theirs)).toEqual([]);
    // Checks the search itself: it finds most of our data.
    expect(leaksIn(answer, ours).length).toBeGreaterThan(1);
  });

  it('the holdings of their employee or number', async () => {
    for (const query of [{ memberGlobalId: theirs.holder.id }, { assetNum: theirs.held.assetNum }]) {
      const data = dataOf(await ours.center.ask('listHoldings', {}, { query }));
      expect(data).toEqual({ holdings: [], nextCursor: null });
    }
  });

  const searches: [how: string, query: Record<string, string>][] = [
    ['the name', { keyword: theirs.holder.name }],
    ['the short account', { keyword: theirs.holder.userName }],
    ['the account', { keyword: theirs.holder.account }],
    ['the account of a deleted employee', { keyword: theirs.deleted.account }],
    ['the code', { keyword: `@${theirs.center.code}` }],
    ['the id', { keyword: theirs.holder.id }],
    ['the mobile number', { keyword: theirs.secrets.passwordMobile! }],
    ['the number of an asset', { keyword: theirs.held.assetNum }],
    ['the department', { departmentId: theirs.departmentId }],
    ['the department and one of our names', { departmentId: theirs.departmentId, keyword: 'Kim' }],
    ['an SQL condition', { keyword: `' or enterprise_id = ${theirs.id} --` }],
  ];

  it.each(searches)('M5 with a search for %s', async (_how, query) => {
    const sent = { ...PAGE, ...query };
    const answer = await ours.center.submitList(sent);
    expect(EmployeePage.parse(dataOf(answer))).toMatchObject({ total: 0, list: [] });
    expect(leaksIn(answer, theirs, sent)).toEqual([]);
    // The same query finds employees in their enterprise.
    if ('departmentId' in sent) expect(await theirs.center.list(query)).not.toHaveLength(0);
  });

  it.each(['', 'Kim', '@', '%', '_', '%%', 'kim%', '\\', 'a'])('M5 with the keyword "%s"', async (keyword) => {
    expect(leaksIn(await ours.center.submitList({ ...PAGE, keyword }), theirs)).toEqual([]);
  });

  it('M5 with their enterprise in the query', async () => {
    const query = { ...PAGE, enterpriseGlobalId: theirs.id, enterpriseId: theirs.id };
    expect(leaksIn(await ours.center.submitList(query), theirs, query)).toEqual([]);
  });
});

describe('our data', () => {
  it('may include the account name of one of theirs, and gets the enterprise from the path alone', async () => {
    const before = await readRows(theirs);
    const { userName } = theirs.holder;
    const body = { enterpriseGlobalId: theirs.id, globalId: theirs.holder.id };
    const sent = { ...newEmployee({ userName }), ...body, enterpriseId: theirs.id, id: theirs.holder.id };
    const answer = await ours.center.submitAdd([sent]);
    const [added] = dataOf(answer).succeeded;
    expect(added).toMatchObject({ userName: `${userName}@${ours.center.code}`, enterpriseId: ours.id });
    expect(added.globalId).not.toBe(theirs.holder.id);
    expect(leaksIn(answer, theirs, userName)).toEqual([]);
    expect(await readRows(theirs)).toEqual(before);
    dataOf(await ours.center.delete(added.globalId));
    expect(await readRows(theirs)).toEqual(before);
  });

  it('may include a number that was theirs, without its history', async () => {
    const before = await readRows(theirs);
    const { assetId, assetNum } = theirs.revoked;
    await ours.center.api.carryOut(newBuy(ours.center.customer, [assetNum]));
    const again = (await ours.center.assets()).find((asset) => asset.assetNum === assetNum)!;
    expect(again).toMatchObject({ cloudAccountGlobalId: null, borrowedFlag: false });
    expect(again.assetId).not.toBe(assetId);
    const contents = await ours.center.call('GET', `/enterprise/asset/${again.assetId}/merchandiseProducts`);
    expect(leaksIn(contents, theirs, assetNum)).toEqual([]);
    const old = await ours.center.call('GET', `/enterprise/asset/${assetId}/merchandiseProducts`);
    expect(refusalOf(old)).toMatchObject(ASSET_ID_NOT_FOUND);
    await ours.center.assign(ours.holder.id, assetNum);
    expect(refusalOf(await theirs.center.configure(theirs.holder.id, [], [assetNum]))).toMatchObject(
      OF_OTHER_ENTERPRISE,
    );
    expect(await readRows(theirs)).toEqual(before);
  });

  it('may include an asset transferred from them, without its holder and its lock', async () => {
    const [moved] = await theirs.center.buy();
    const [lock] = await theirs.center.buyLocks();
    await theirs.center.assign(theirs.holder.id, moved!.assetNum);
    dataOf(await theirs.center.lend(theirs.holder.id, lock!.assetNum, [moved!.assetId]));
    const transfer = newBuy(ours.center.customer, [moved!.assetNum], {}, { transferedAssetNum: true });
    await ours.center.api.carryOut(transfer);

    const asset = (await ours.center.assets()).find(({ assetNum }) => assetNum === moved!.assetNum);
    expect(asset).toMatchObject({ assetId: moved!.assetId, cloudAccountGlobalId: null, borrowedFlag: false });
    await ours.center.assign(ours.holder.id, moved!.assetNum);
    expect((await theirs.center.assets()).map(({ assetNum }) => assetNum)).not.toContain(moved!.assetNum);
    const elsewhere = await theirs.center.configure(theirs.holder.id, [moved!.assetNum], []);
    expect(refusalOf(elsewhere)).toMatchObject(OF_OTHER_ENTERPRISE);
    const gone = await theirs.center.call('GET', `/enterprise/asset/${moved!.assetId}/merchandiseProducts`);
    expect(refusalOf(gone)).toMatchObject(ASSET_ID_NOT_FOUND);
    const underLock = (await theirs.center.contents(lock!.assetId)).productInstanceList;
    expect(underLock.map(({ assetNum }) => assetNum)).toEqual([lock!.assetNum]);
  });
});

/** Returns every row of an enterprise, from all tables of the member center and the ledger. */
async function readRows({ id }: Tenant): Promise<unknown[]> {
  const { rows } = await sql`
    with owned as (select asset.* from asset join customer on customer.id = customer_id where enterprise_id = ${id})
    select 'enterprise' as what, e::text as row from enterprise e where id = ${id}
    union all select 'customer', c::text from customer c where enterprise_id = ${id}
    union all select 'member', m::text from member m where enterprise_id = ${id}
    union all select 'audit', a::text from member_audit a where enterprise_id = ${id}
    union all select 'token', t::text from access_token t join member on member.id = member_id where enterprise_id = ${id}
    union all select 'asset', owned::text from owned
    union all select 'assignment', h::text from asset_assignment h join owned on owned.id = asset_id
    union all select 'lending', l::text from asset_lending l join owned on owned.id in (asset_id, lock_asset_id)
    union all select 'ended', e::text from ended_holding e join owned on owned.id = asset_id
    union all select 'product', p::text from product_instance p join owned on owned.id = asset_id
    union all select 'merchandise', m::text from merchandise_instance m join owned on owned.id = asset_id
    order by 1, 2`.execute(stack.db);
  return rows;
}
