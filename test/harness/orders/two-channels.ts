import type { AssetContents, Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { type Api, dataOf } from '../api.ts';
import { MemberCenter, newEmployee } from '../members/member-center.ts';
import { askUserToken } from '../oauth.ts';
import { type Stack, startStack, untilTestsEnd } from '../stack.ts';
import { batchOf, merchandise, newAssetNum, newBuy, type Sent } from './orders.ts';

/** What a channel's customer has: locks and licenses for the order module, and for the member center what an employee
 * holds, has lent and could have, with a borrowed lock that something is lent into and one that nothing is. */
const NAMES = ['usbKey', 'cloud', 'held', 'lent', 'free', 'usedLock', 'freeLock'] as const;
type Named = Record<(typeof NAMES)[number], string>;

/** A channel with a customer and a batch of its own. */
interface Side {
  customer: Customer;
  numbers: Named;
  ids: Named;
  batch: { channelCode: string; channelOrderId: string; syncMode: string; orderList: Sent[] };
  licenseOrderId: string;
}

/**
 * Two channels, `ours` and `theirs`, with a customer each of one enterprise, whose administrator is logged in through
 * two applications: one that is bound to `ours`, and one that is not bound.
 */
export interface TwoChannels {
  stack: Stack;
  bound: MemberCenter;
  unbound: MemberCenter;
  ours: Side;
  theirs: Side;
  /** The employee who holds things of both. */
  kimId: string;
  /** An asset of their channel in another enterprise. */
  elsewhere: string;
}

export async function openTwoChannels(): Promise<TwoChannels> {
  const stack = await untilTestsEnd(startStack());
  // So that an id is that of one thing only, and what stands in an answer can be told.
  for (const [index, table] of ['enterprise', 'customer', 'member'].entries()) {
    const first = sql.lit(20_000_001 + index * 10_000_000);
    await sql`alter table ${sql.table(table)} alter column id restart with ${first}`.execute(stack.db);
  }
  const unbound = await MemberCenter.open(stack);
  const bound = await openAs(unbound, await stack.newApi(['auth_order', 'auth_me'], ['ours', 'ours too']));
  const [kim] = await unbound.add(newEmployee({ userName: 'kim' }));
  const parts = { stack, unbound, kimId: kim!.globalId };
  // The application that created the enterprise sets its security mobile number.
  await unbound.api.newCustomer(unbound.customer.enterpriseName, 'theirs');
  const ours = await furnish(parts, 'ours', bound.api);
  const theirs = await furnish(parts, 'theirs', unbound.api);
  const elsewhere = newAssetNum();
  const customer = await unbound.api.newCustomer('Elsewhere', 'theirs');
  await unbound.api.carryOut(newBuy(customer, [elsewhere]));
  return { ...parts, bound, ours, theirs, elsewhere };
}

/** The same administrator of the same enterprise through another application. */
export async function openAs(unbound: MemberCenter, api: Api): Promise<MemberCenter> {
  const { account, password, enterpriseId, customer, adminId, cloudId } = unbound;
  const { access_token: userToken } = (await askUserToken(api.baseUrl, api.credentials, { account, password })).body;
  const members = [adminId, cloudId].map((memberGlobalId) => ({ memberGlobalId, memberIdentity: '' }));
  const created = { enterpriseGlobalId: enterpriseId, defaultType: true, members };
  return new MemberCenter(api, created, customer, { account, password, userToken });
}

async function furnish(
  { stack, unbound, kimId }: Pick<TwoChannels, 'stack' | 'unbound' | 'kimId'>,
  channelCode: string,
  api: Api,
): Promise<Side> {
  const customer = await api.newCustomer(unbound.customer.enterpriseName, channelCode);
  const numbers = Object.fromEntries(NAMES.map((name) => [name, newAssetNum()])) as unknown as Named;
  const { usbKey, cloud, held, lent, free, usedLock, freeLock } = numbers;
  const feature = { assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }] };
  const orders = [
    newBuy(customer, [usbKey, held, lent, free], {}, { merchandises: [merchandise()] }),
    newBuy(customer, [cloud], { licenseType: 'cloud_customer' }, feature),
    newBuy(customer, [usedLock, freeLock], {}, { borrowedUsbKey: true }),
  ];
  const batch = { ...batchOf(...orders), syncMode: 'sync', channelCode };
  const [bought] = await api.accept(batch);
  const assets = await stack.db.selectFrom('asset').select(['id', 'asset_num']).execute();
  const idOf = new Map(assets.map(({ id, asset_num }) => [asset_num, id]));
  const ids = Object.fromEntries(NAMES.map((name) => [name, idOf.get(numbers[name])!])) as unknown as Named;
  await unbound.assign(kimId, held, lent);
  dataOf(await unbound.lend(kimId, usedLock, [ids.lent]));
  return { customer, numbers, ids, batch, licenseOrderId: bought!.licenseOrderId };
}

/** The asset numbers under which M7 shows something. */
export function numbersUnder({ productInstanceList, children }: AssetContents): Set<string | null> {
  const products = [...productInstanceList, ...children.flatMap((node) => node.productInstanceList ?? [])];
  return new Set(products.map(({ assetNum }) => assetNum));
}
