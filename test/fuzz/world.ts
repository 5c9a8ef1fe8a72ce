import { randomUUID } from 'node:crypto';
import { PasswordHasher } from '@lockstep/access';
import type { Customer } from '@lockstep/contract';
import { examples, parameterExamples } from '@lockstep/contract/examples';
import { createDemoCustomers, DEMO_ENTERPRISES } from '@lockstep/customers';
import { setPassword } from '@lockstep/members';
import type { Api } from '../harness/api.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { batchOf, deleteAsset, deleteProduct, merchandise, newBuy, type Sent } from '../harness/orders/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import type { Random } from './random.ts';
import type { Call } from './wire.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

/** An operation, as published in /openapi.json. */
export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  responses: Record<string, Json>;
}

/** A call before mutation, with its JSON body, if any. */
export interface ValidCall {
  call: Call;
  json: unknown;
}

const ASSET_NUMBERS = Array.from({ length: 24 }, (_, index) => `8${String(index).padStart(9, '0')}`);
const CUSTOMERS = ['2001', '2002'];
const TYPES = ['delete_asset', 'delete_product', 'new_buy', 'new_buy', 'new_buy', 'new_buy'];
const KEPT_WORDS = 40;
/** Fields of answers whose values later calls reuse, to refer to existing data. */
const TELLING = /^(licenseOrderId|customerId|globalId|assetId|assetNum|webhookId)$/;
/** Weights of operations that are called more often than the others. */
const OFTEN: Record<string, number> = {
  createBatchOrder: 4,
  previewBatchOrder: 2,
  addEmployees: 2,
  configureAssets: 2,
};

/** A service with demo customers. Generates valid calls, with values from its earlier answers. */
export class World {
  readonly stack: Stack;
  readonly api: Api;
  readonly stranger: Api;
  readonly operations: Operation[];
  readonly document: Json;
  readonly nonces: string[] = [];
  readonly #random: Random;
  readonly #heard = new Map<string, string[]>();
  readonly #drawn: readonly Operation[];
  #center: MemberCenter;

  private constructor(
    stack: Stack,
    callers: { api: Api; stranger: Api; center: MemberCenter },
    document: Json,
    random: Random,
  ) {
    this.stack = stack;
    this.api = callers.api;
    this.stranger = callers.stranger;
    this.#center = callers.center;
    this.document = document;
    this.#random = random;
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, { operationId, parameters = [], responses }]) => {
        return { operationId, method: method.toUpperCase(), path, parameters, responses };
      }),
    );
    this.#drawn = this.operations.flatMap((each) => Array<Operation>(OFTEN[each.operationId] ?? 1).fill(each));
    this.#hear('customerId', '2001');
    this.#hear('customerId', '2002');
    this.#hear('enterpriseGlobalId', '1001');
    for (const id of DEMO_ENTERPRISES[0].memberIds) this.#hear('memberGlobalId', id);
  }

  static async open(random: Random): Promise<World> {
    const stack = await startStack();
    await createDemoCustomers(stack.db);
    const api = await stack.newApi();
    const stranger = await stack.newApi(['auth_order']);
    const center = await openCenter(stack, api);
    const document = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();
    return new World(stack, { api, stranger, center }, document, random);
  }

  get port(): number {
    return Number(new URL(this.stack.baseUrl).port);
  }

  /** Valid tokens. */
  get tokens(): string[] {
    return [this.api.token, this.stranger.token, this.#center.userToken];
  }

  get words(): string[] {
    return [...this.#heard.values()].flat();
  }

  /** Logs the administrator in again, because an accepted call may have ended the session or locked the account. */
  async logIn(): Promise<void> {
    this.#center = await openCenter(this.stack, this.api);
  }

  /** Remembers ids from an answer. */
  hear(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'string' && TELLING.test(key)) {
        this.#hear(key === 'globalId' ? 'memberGlobalId' : key, each);
      } else this.hear(each);
    }
  }

  #hear(name: string, value: string): void {
    const heard = this.#heard.get(name) ?? [];
    if (heard.includes(value)) return;
    heard.push(value);
    if (heard.length > KEPT_WORDS) heard.splice(this.#random.below(heard.length), 1);
    this.#heard.set(name, heard);
  }

  /** Returns a call that could succeed. */
  validCall(operation = this.#random.oneOf(this.#drawn), json = this.#bodyOf(operation.operationId)): ValidCall {
    const { operationId, method, parameters } = operation;
    const nonce = this.#random.word(16);
    this.nonces.push(nonce);
    let { path } = operation;
    const query: Call['query'] = [];
    for (const { name, in: place } of parameters) {
      const value = name === 'g_nonce' ? nonce : this.#valueOf(name);
      if (value === undefined) continue;
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      if (place === 'query') query.push([name, encodeURIComponent(value)]);
    }
    const isForm = operationId === 'issueToken';
    const text = isForm ? String(new URLSearchParams(json as Record<string, string>)) : JSON.stringify(json);
    const headers: Call['headers'] = [
      ['host', 'lockstep'],
      ['connection', 'close'],
    ];
    if (!isForm) headers.push(['authorization', `Bearer ${this.api.token}`]);
    if (path.startsWith('/me/')) headers.push(['clientToken', this.api.token], ['userToken', this.#center.userToken]);
    if (json !== undefined) {
      headers.push(['content-type', isForm ? 'application/x-www-form-urlencoded' : 'application/json']);
    }
    const body = json === undefined ? null : Buffer.from(text);
    const plain = { framing: { kind: 'length' }, version: 'HTTP/1.1', leavesAfter: null, next: null } as const;
    return {
      call: { operationId, method, path, query, headers, body, ...plain, changes: [] },
      json: isForm ? undefined : json,
    };
  }

  #valueOf(name: string): string | undefined {
    if (name === 'appKey') return this.api.credentials.appKey;
    if (name === 'waitSeconds') return '0';
    if (name === 'channelCode') return this.#random.oneOf(['demo', 'test', 'test', 'test']);
    if (name === 'enterpriseGlobalId') return DEMO_ENTERPRISES[0].id;
    const heard = this.#heard.get(name);
    if (heard !== undefined && !this.#random.isOneIn(4)) return this.#random.oneOf(heard);
    const example = parameterExamples[name];
    return example === undefined ? undefined : String(example);
  }

  #bodyOf(operationId: string): unknown {
    const random = this.#random;
    const bodies = examples[operationId]?.bodies;
    if (bodies === undefined) return undefined;
    const example = structuredClone(random.oneOf(Object.values(bodies)).value) as Sent;
    switch (operationId) {
      case 'issueToken':
        return this.#tokenForm();
      case 'createBatchOrder':
      case 'previewBatchOrder':
        return random.isOneIn(4) ? { ...example, channelOrderId: this.#channelOrderId() } : this.#batch();
      case 'cancelBatchOrder':
        return { channelCode: 'test', channelOrderId: this.#valueOf('channelOrderId') };
      case 'bindCustomer':
        return { ...example, channelCustomerId: random.word(2), enterpriseName: `Works ${random.word(1)}` };
      case 'createEnterprise':
      case 'updateCustomer':
        return { ...example, crmCustomerId: random.word(1), customerName: `Bridges ${random.word(2)}` };
      case 'addEmployees':
        return { userList: Array.from({ length: random.oneOf([1, 1, 2]) }, () => newEmployee()) };
      case 'lockAssets':
      case 'unlockAssets':
      case 'freezeAssets':
      case 'unfreezeAssets':
        return { ...example, assetNums: [random.oneOf(ASSET_NUMBERS), random.oneOf(ASSET_NUMBERS)] };
      case 'configureAssets':
        return { deleteAssets: [], addAssets: [random.oneOf(ASSET_NUMBERS)] };
      default:
        return example;
    }
  }

  #tokenForm(): Record<string, string> {
    const { appKey: client_id, appSecret: client_secret } = this.api.credentials;
    const client = { client_id, client_secret };
    if (!this.#random.isOneIn(10)) return { grant_type: 'client_credentials', ...client };
    const { account: username, password } = this.#center;
    return { grant_type: 'password', ...client, username, password };
  }

  #channelOrderId(): string {
    if (this.#random.isOneIn(12)) return this.#valueOf('channelOrderId') ?? 'first';
    const id = `F-${this.#random.word(10)}`;
    this.#hear('channelOrderId', id);
    return id;
  }

  #batch(): Sent {
    const random = this.#random;
    // Mostly use one customer, because an async batch is refused if two customers name the same number.
    const isForAnyone = random.isOneIn(4);
    const ones = this.#customer();
    const count = random.oneOf([1, 1, 1, 2, 3]);
    const number = () => random.oneOf(ASSET_NUMBERS);
    const numbers = () => [...new Set(Array.from({ length: random.oneOf([1, 1, 2]) }, number))];
    const orders = Array.from({ length: count }, (_, index) => {
      const customer = isForAnyone ? this.#customer() : ones;
      const changes = {
        sequence: index + 1,
        ...(random.isOneIn(4) && { srcLicenseOrderId: this.#valueOf('licenseOrderId') }),
        ...(random.isOneIn(4) && { address: '1 Main Street\r\nOld Town' }),
      };
      const type = random.oneOf(TYPES);
      if (type === 'delete_asset') return deleteAsset(customer, numbers(), changes);
      if (type === 'delete_product') return deleteProduct(customer, numbers(), {}, changes);
      const parents = random.isOneIn(3) && { parentMerchandiseNum: null, parentCrmProductId: null };
      const element = {
        ...(random.isOneIn(3) && { merchandises: [merchandise({ ...parents })] }),
        ...(random.isOneIn(3) && { transferedAssetNum: true, ...(random.isOneIn(2) && { products: [] }) }),
      };
      return newBuy(customer, numbers(), changes, element);
    });
    const syncMode = random.isOneIn(3) ? 'sync' : 'async';
    return { ...batchOf(...orders), channelOrderId: this.#channelOrderId(), syncMode };
  }

  #customer(): Customer {
    const customerId = this.#random.oneOf(CUSTOMERS);
    return { customerId, channelCustomerId: 'DEMO', enterpriseGlobalId: '1001' } as Customer;
  }
}

/** Opens the member center of the first demo enterprise and logs its administrator in with a new password. */
async function openCenter({ db, baseUrl }: Stack, api: Api): Promise<MemberCenter> {
  const [{ id: enterpriseGlobalId, memberIds, customers }] = DEMO_ENTERPRISES;
  const members = memberIds.map((memberGlobalId) => ({ memberGlobalId, memberIdentity: randomUUID() }));
  const login = await setPassword({ db, passwords: new PasswordHasher() }, memberIds[0]);
  if (login === undefined) throw new Error('The demo administrator does not exist');
  const { body } = await askUserToken(baseUrl, api.credentials, login);
  const created = { enterpriseGlobalId, defaultType: true as const, members };
  const customer = { customerId: customers[0].id } as Customer;
  return new MemberCenter(api, created, customer, { ...login, userToken: body.access_token });
}
