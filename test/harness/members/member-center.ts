import { randomUUID } from 'node:crypto';
import {
  AddedEmployees,
  AssetContents,
  type AuditEntry,
  AuditPage,
  BorrowedLock,
  buildPath,
  type CreatedEnterprise,
  type Customer,
  type Employee,
  EmployeePage,
  EnterpriseAsset,
  type EnterpriseId,
  findOperation,
  type ListedEmployee,
  ME_ROOT,
  type MemberId,
  type MemberOperationId,
  type OperationParams,
} from '@lockstep/contract';
import type { NewLogin } from '@lockstep/members';
import { hash } from '@node-rs/argon2';
import { z } from 'zod';
import { type Answer, type Api, type CallOptions, callService, dataOf } from '../api.ts';
import { askUserToken } from '../oauth.ts';
import { newAssetNum, newBuy, type Sent } from '../orders/orders.ts';
import type { Stack } from '../stack.ts';

export interface MemberCallOptions extends Omit<CallOptions, 'token'> {
  /** For the Authorization header; null omits it. */
  token?: string | null;
  clientToken?: string | null;
  userToken?: string | null;
}

/** A new enterprise with an administrator who is logged in. Calls the member center as their client does. */
export class MemberCenter {
  readonly api: Api;
  readonly enterpriseId: EnterpriseId;
  /** The customer (in channel crm) that buys for the enterprise. */
  readonly customer: Customer;
  /** The employees that O2 created. */
  readonly adminId: MemberId;
  readonly cloudId: MemberId;
  /** The administrator's account. */
  readonly account: string;
  readonly password: string;
  readonly userToken: string;

  constructor(api: Api, created: CreatedEnterprise, customer: Customer, login: NewLogin & { userToken: string }) {
    const [adminId, cloudId] = created.members.map(({ memberGlobalId }) => memberGlobalId);
    this.api = api;
    this.enterpriseId = created.enterpriseGlobalId;
    this.customer = customer;
    this.adminId = adminId!;
    this.cloudId = cloudId!;
    this.account = login.account;
    this.password = login.password;
    this.userToken = login.userToken;
  }

  /**
   * Calls O2, sets a password for the administrator, and logs in, through a new application or the given one. `name` is
   * the enterprise's; by default it is unique.
   */
  static async open(stack: Pick<Stack, 'db' | 'newApi'>, api?: Api, name?: string): Promise<MemberCenter> {
    const caller = api ?? (await stack.newApi());
    const crmCustomerId = randomUUID();
    const body = { crmCustomerId, customerName: name ?? `Enterprise ${crmCustomerId}`, branchName: 'Branch' };
    const created: CreatedEnterprise = dataOf(await caller.ask('createEnterprise', { body }));
    const query = { channelCode: 'crm', channelCustomerId: crmCustomerId, defaultCustomer: 'Y' };
    const [customer] = dataOf(await caller.ask('queryCustomers', { query }));
    const [admin] = created.members;
    const login = { account: admin!.memberIdentity, password: randomUUID() };
    await storePassword(stack, admin!.memberGlobalId, login.password);
    const token = await askUserToken(caller.baseUrl, caller.credentials, login);
    return new MemberCenter(caller, created, customer, { ...login, userToken: token.body.access_token });
  }

  /** The code that ends every account of the enterprise. */
  get code(): string {
    return this.account.split('@')[1]!;
  }

  /** Returns the enterprise's other customer, which O2 created. */
  async industryCustomer(): Promise<Customer> {
    const { channelCustomerId } = this.customer;
    const query = { channelCode: 'industry', channelCustomerId, defaultCustomer: 'N' };
    const customers: Customer[] = dataOf(await this.api.ask('queryCustomers', { query }));
    return customers.find(({ channelCode }) => channelCode === 'industry')!;
  }

  /** Calls the member center; `path` follows ME_ROOT. */
  call(method: string, path: string, options: MemberCallOptions = {}): Promise<Answer> {
    return this.callPath(method, ME_ROOT + path, options);
  }

  /** Calls an operation; `params` fill in its path. */
  ask<Id extends MemberOperationId>(
    id: Id,
    params: Omit<OperationParams<Id>, 'enterpriseGlobalId'>,
    options: MemberCallOptions = {},
  ): Promise<Answer> {
    const all = { enterpriseGlobalId: this.enterpriseId, ...params } as unknown as OperationParams<Id>;
    return this.callPath(findOperation(id).method, buildPath(id, all), options);
  }

  private callPath(method: string, path: string, options: MemberCallOptions): Promise<Answer> {
    const { token = this.api.token, clientToken = this.api.token, userToken = this.userToken } = options;
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(clientToken === null ? {} : { clientToken }),
      ...(userToken === null ? {} : { userToken }),
      ...options.headers,
    };
    return callService(method, this.api.baseUrl + path, { ...options, headers });
  }

  /** M1, whatever the answer. */
  submitAdd(userList: unknown, options: MemberCallOptions = {}): Promise<Answer> {
    return this.ask('addEmployees', {}, { body: { userList }, ...options });
  }

  /** M1 of one new employee or the given ones. All must be added. */
  async add(...userList: Sent[]): Promise<Employee[]> {
    const answer = await this.submitAdd(userList.length === 0 ? [newEmployee()] : userList);
    return z.strictObject(AddedEmployees.shape).parse(dataOf(answer)).succeeded;
  }

  /** M2, whatever the answer. */
  edit(memberId: string, body: unknown, options: MemberCallOptions = {}): Promise<Answer> {
    return this.ask('editEmployee', { memberGlobalId: memberId }, { body, ...options });
  }

  /** M3, whatever the answer. */
  resetPassword(memberId: string, password: unknown, options: MemberCallOptions = {}): Promise<Answer> {
    return this.ask('resetPassword', { memberGlobalId: memberId }, { body: { password }, ...options });
  }

  /** M4, whatever the answer. */
  delete(memberId: string, options: MemberCallOptions = {}): Promise<Answer> {
    return this.ask('deleteEmployee', { memberGlobalId: memberId }, options);
  }

  /** M5, whatever the answer. */
  submitList(query: Record<string, string>, options: MemberCallOptions = {}): Promise<Answer> {
    return this.ask('listEmployees', {}, { query, ...options });
  }

  /** M5: returns the first page of 500, checked against the contract. */
  async list(query: Record<string, string> = {}): Promise<ListedEmployee[]> {
    const data = dataOf(await this.submitList({ pageNum: '1', pageSize: '500', ...query }));
    return z.strictObject(EmployeePage.shape).parse(data).list;
  }

  /** Returns M5's entry for one employee. */
  async listed(memberId: string): Promise<ListedEmployee | undefined> {
    return (await this.list()).find(({ globalId }) => globalId === memberId);
  }

  /** M6, checked against the contract. */
  async assets(): Promise<EnterpriseAsset[]> {
    const answer = await this.ask('listEnterpriseAssets', {});
    return z.array(z.strictObject(EnterpriseAsset.shape)).parse(dataOf(answer));
  }

  /** M7, checked against the contract. */
  async contents(assetId: string): Promise<AssetContents> {
    const answer = await this.ask('readAssetContents', { assetId });
    return z.strictObject(AssetContents.shape).parse(dataOf(answer));
  }

  /** M8, checked against the contract. */
  async locks(): Promise<BorrowedLock[]> {
    const answer = await this.ask('listBorrowedLocks', {});
    return z.array(z.strictObject(BorrowedLock.shape)).parse(dataOf(answer));
  }

  /** M9, whatever the answer. */
  configure(memberId: string, deleteAssets: unknown, addAssets: unknown, options: MemberCallOptions = {}) {
    const body = { deleteAssets, addAssets };
    return this.ask('configureAssets', { memberGlobalId: memberId }, { body, ...options });
  }

  /** M9 that assigns numbers to an employee and must succeed. */
  async assign(memberId: string, ...assetNums: string[]): Promise<void> {
    dataOf(await this.configure(memberId, [], assetNums));
  }

  /** M10, whatever the answer. */
  lend(memberId: string, borrowedUsbKey: unknown, assetIDs: unknown, options: MemberCallOptions = {}) {
    const body = { borrowedUsbKey, assetIDs };
    return this.ask('lendAssets', { memberGlobalId: memberId }, { body, ...options });
  }

  /** Returns the first page of 500 of the audit log, newest first, checked against the contract. */
  async audit(): Promise<AuditEntry[]> {
    const query = { pageNum: '1', pageSize: '500' };
    const answer = await this.ask('readAudit', {}, { query });
    return z.strictObject(AuditPage.shape).parse(dataOf(answer)).list;
  }

  /**
   * Buys assets for the enterprise with one product each. Returns them as M6 does; `order` and `element` change the
   * order.
   */
  async buy(count = 1, order: Sent = {}, element: Sent = {}): Promise<EnterpriseAsset[]> {
    const assetNums = Array.from({ length: count }, () => newAssetNum());
    await this.api.carryOut(newBuy(this.customer, assetNums, order, element));
    return (await this.assets()).filter(({ assetNum }) => assetNums.includes(assetNum));
  }

  /** Buys borrowed locks for the enterprise. Returns them as M8 does. */
  async buyLocks(count = 1): Promise<BorrowedLock[]> {
    const assetNums = Array.from({ length: count }, () => newAssetNum());
    await this.api.carryOut(newBuy(this.customer, assetNums, {}, { borrowedUsbKey: true }));
    return (await this.locks()).filter(({ assetNum }) => assetNums.includes(assetNum));
  }
}

/**
 * Stores a password with a hash that is cheap to verify, because hundreds of tests log in. A hash contains its own
 * parameters.
 */
async function storePassword({ db }: Pick<Stack, 'db'>, memberId: MemberId, password: string): Promise<void> {
  const password_hash = await hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  await db.updateTable('member').set({ password_hash }).where('id', '=', memberId).execute();
}

/** An element of M1's userList with a unique account. */
export function newEmployee(fields: Sent = {}): Sent {
  return {
    userName: `u${randomUUID().replaceAll('-', '').slice(0, 12)}`,
    password: 'correct horse',
    name: 'Kim',
    ...fields,
  };
}
