import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { setApplicationStatus } from '@lockstep/access';
import { buildMessage, type Customer } from '@lockstep/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, dataOf, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import {
  BODY_FAULTS,
  expectAllRefused,
  expectRefused,
  faultCases,
  fieldsOf,
  put,
  TEXT_FAULTS,
} from '../../harness/orders/faults.ts';
import { batchOf, merchandise, newAssetNum, newBuy, type Sent } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/**
 * Every operation of the order module refuses every fault of every field, and every caller without permission, and
 * stores nothing. At the end, each operation accepts the valid call that the faults were put into. For O5, see
 * content.long.test.ts.
 */
let customer: Customer;
let tables: unknown;

/** Everything that the valid calls name exists, so the calls would change something. */
let crmCustomerId: string;
let lockNums: string[];
let unlockNums: string[];
let pending: ReturnType<typeof batchOf>;
let licenseOrderId: string;

const { stack } = await testStack({ worker: false });
const api = await stack.newApi(['auth_order']);
/** A caller without the scope, and one whose application is suspended. */
const outsider = await stack.newApi(['auth_me']);
const suspended = await stack.newApi(['auth_order']);
beforeAll(async () => {
  await setApplicationStatus(stack.db, suspended.credentials.appKey, 'suspended');
  customer = await api.newCustomer();
  crmCustomerId = randomUUID();
  const creation = { crmCustomerId, customerName: `Enterprise ${crmCustomerId}`, branchName: 'Branch' };
  dataOf(await api.call('POST', '/enterprise/user/create', { body: creation }));
  [lockNums, unlockNums] = [Array.from({ length: 5 }, newAssetNum), Array.from({ length: 5 }, newAssetNum)];
  const [order] = await api.carryOut(newBuy(customer, [...lockNums, ...unlockNums]));
  licenseOrderId = order!.licenseOrderId;
  const body = { assetNums: unlockNums, operatorIdentity: 'Ada' };
  dataOf(await api.call('POST', '/asset/lock', { body }));
  pending = batchOf(newBuy(customer, [newAssetNum()]));
  await api.accept(pending);
  tables = await contentOfTables(stack.db);
});

interface Request {
  path: string;
  query?: Record<string, string>;
  body?: Sent;
}

interface Operation {
  name: string;
  /** A valid call, which changes something if the operation can. */
  valid: () => Request;
  /** The fields of a POST. */
  body?: Record<string, keyof typeof BODY_FAULTS>;
  query?: Record<string, keyof typeof TEXT_FAULTS>;
  /** The path parameter and its kind. The number or name in the path takes its place. */
  id?: Record<string, keyof typeof TEXT_FAULTS>;
}

const inBody = fieldsOf<keyof typeof BODY_FAULTS>;
const inQuery = fieldsOf<keyof typeof TEXT_FAULTS>;
const methodOf = ({ body }: Operation) => (body ? 'POST' : 'GET');

const LOCK_BODY = inBody({
  filledList: 'assetNums',
  assetNumInList: 'assetNums[0] assetNums[3]',
  text: 'operatorIdentity',
});
const CUSTOMER_BODY = inBody({ text: 'crmCustomerId customerName branchName', optionalAddress: 'address' });
const BATCH_KEY = () => ({ channelCode: pending.channelCode, channelOrderId: pending.channelOrderId });
const LIST_QUERY = { optionalText: 'channelCode', limit: 'limit', cursor: 'cursor', time: 'acceptedFrom acceptedTo' };

const OPERATIONS: Operation[] = [
  {
    name: 'O1',
    valid: () => ({
      path: '/enterprise/user/bind',
      body: {
        channelCode: 'test',
        channelCustomerId: randomUUID(),
        customerName: 'Customer',
        branchName: 'Branch',
        enterpriseName: `Enterprise ${randomUUID()}`,
        passwordMobile: '13800000000',
      },
    }),
    body: inBody({
      text: 'channelCode channelCustomerId customerName branchName enterpriseName',
      neededMobile: 'passwordMobile',
    }),
  },
  {
    name: 'O2',
    valid: () => {
      const names = { customerName: `Enterprise ${randomUUID()}`, branchName: 'Branch', address: '1 Main Street' };
      return { path: '/enterprise/user/create', body: { crmCustomerId: randomUUID(), ...names } };
    },
    body: CUSTOMER_BODY,
  },
  {
    name: 'O3',
    valid: () => {
      const { channelCode, channelCustomerId } = customer;
      return { path: '/enterprise/user/query', query: { channelCode, channelCustomerId, defaultCustomer: 'Y' } };
    },
    query: inQuery({ text: 'channelCode channelCustomerId', yesOrNo: 'defaultCustomer' }),
  },
  {
    name: 'O4',
    valid: () => ({
      path: '/enterprise/user/update',
      body: { crmCustomerId, customerName: randomUUID(), branchName: 'Moved', address: '2 Main Street' },
    }),
    body: CUSTOMER_BODY,
  },
  {
    name: 'O6',
    valid: () => ({ path: '/asset/lock', body: { assetNums: [...lockNums], operatorIdentity: 'Ada' } }),
    body: LOCK_BODY,
  },
  {
    name: 'O7',
    valid: () => ({ path: '/asset/unlock', body: { assetNums: [...unlockNums], operatorIdentity: 'Ada' } }),
    body: LOCK_BODY,
  },
  {
    name: 'O8',
    valid: () => ({ path: `/asset/${customer.enterpriseGlobalId}/list`, query: { extendCode: 'gxxp' } }),
    query: inQuery({ optionalText: 'extendCode' }),
    id: inQuery({ id: 'enterpriseGlobalId' }),
  },
  { name: 'O9', valid: () => ({ path: '/shellnums', body: { size: 3 } }), body: inBody({ size: 'size' }) },
  {
    name: 'preview',
    valid: () => ({
      path: '/licenseOrder/batchOrder/preview',
      query: { appKey: api.credentials.appKey },
      body: batchOf(newBuy(customer, [newAssetNum(), newAssetNum()], {}, { merchandises: [merchandise()] })),
    }),
    query: inQuery({ text: 'appKey' }),
    // O5 reads its body with the same code.
    body: inBody({ text: 'channelCode', filledList: 'orderList', id: 'orderList[0].customerId' }),
  },
  {
    name: 'cancel',
    valid: () => ({ path: '/licenseOrder/batchOrder/cancel', body: BATCH_KEY() }),
    body: inBody({ text: 'channelCode channelOrderId' }),
  },
  {
    name: 'the result of a batch',
    valid: () => ({ path: '/licenseOrder/batchOrder', query: BATCH_KEY() }),
    query: inQuery({
      text: 'channelCode channelOrderId',
      state: 'state',
      limit: 'limit',
      cursor: 'cursor',
      seconds: 'waitSeconds',
    }),
  },
  {
    name: 'failed orders',
    valid: () => ({ path: '/licenseOrder/batchOrder/failed', query: BATCH_KEY() }),
    query: inQuery({ text: 'channelCode channelOrderId' }),
  },
  {
    name: 'the result of an order',
    valid: () => ({ path: `/licenseOrder/${licenseOrderId}` }),
    id: inQuery({ id: 'licenseOrderId' }),
  },
  { name: 'an asset', valid: () => ({ path: `/asset/${lockNums[0]}` }), id: inQuery({ pathText: 'assetNum' }) },
  {
    name: 'the history of an asset',
    valid: () => ({ path: `/asset/${lockNums[0]}/history`, query: {} }),
    query: inQuery({ limit: 'limit', cursor: 'cursor' }),
    id: inQuery({ pathText: 'assetNum' }),
  },
  {
    name: 'the list of batches',
    valid: () => ({ path: '/licenseOrder/batchOrders', query: {} }),
    query: inQuery({ ...LIST_QUERY, oneOf: 'state hasFailed' }),
  },
  {
    name: 'the list of orders',
    valid: () => ({ path: '/licenseOrder/orders', query: {} }),
    query: inQuery({
      ...LIST_QUERY,
      optionalText: 'channelCode assetNum',
      optionalId: 'customerId',
      oneOf: 'orderType cause',
      state: 'state',
    }),
  },
  {
    name: 'events',
    valid: () => ({ path: '/events', query: {} }),
    query: inQuery({ optionalId: 'after', limit: 'limit', seconds: 'waitSeconds' }),
  },
];

/** Makes a call, with changes to the request. */
const call = (operation: Operation, { path, query, body }: Request, options: CallOptions = {}, caller = api) =>
  caller.call(methodOf(operation), path, { ...(query && { query }), ...(body && { body }), ...options });

const expectNothingStored = async () => expect(await contentOfTables(stack.db)).toEqual(tables);

describe.each(OPERATIONS)('$name refuses', (operation) => {
  const { valid } = operation;

  it.each(Object.entries(operation.body ?? {}))('%s with every fault of its kind (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, BODY_FAULTS), ({ path, value }) => {
      const request = valid();
      put(request.body!, path, value);
      return call(operation, request);
    });
  });

  it.each(Object.entries(operation.query ?? {}))('%s in the query with every fault (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, TEXT_FAULTS), ({ value }) => {
      const { [field]: _, ...others } = valid().query!;
      const query = value === undefined ? others : { ...others, [field]: value as string };
      return call(operation, { ...valid(), query });
    });
  });

  it.each(Object.keys(operation.query ?? {}))('%s that appears twice in the query', async (name) => {
    const { query = {} } = valid();
    for (const again of [query[name] ?? 'a', 'b']) {
      const twice = { ...query, [name]: [query[name] ?? again, again] };
      expectRefused(await call(operation, valid(), { query: twice }), 'field_repeated', name);
    }
  });

  it.each(Object.entries(operation.id ?? {}))('%s in the path with every fault (%s)', async (field, kind) => {
    await expectAllRefused(faultCases({ [field]: kind }, TEXT_FAULTS), ({ value }) => {
      const request = valid();
      const path = request.path.replace(/\/\d+/, `/${encodeURIComponent(value as string)}`);
      expect(path).not.toBe(request.path);
      return call(operation, { ...request, path });
    });
  });

  it('a caller without permission', async () => {
    const refused = [
      await call(operation, valid(), { token: null }),
      await call(operation, valid(), { token: `${api.token}x` }),
      await call(operation, valid(), {}, outsider),
      await call(operation, valid(), { token: suspended.token }),
    ].map(refusalOf);
    const causes = ['token_missing', 'token_invalid', 'scope_missing', 'application_not_approved'];
    expect(refused).toMatchObject(causes.map((cause) => ({ code: '60000', cause })));
    expect(refused[2]!.message).toBe(buildMessage('scope_missing', 'auth_order'));
  });

  it('a call without a nonce, or with one that another operation has used up', async () => {
    const nonce = randomUUID();
    const query = { channelCode: 'a', channelCustomerId: 'b', defaultCustomer: 'Y' };
    dataOf(await api.call('GET', '/enterprise/user/query', { query, nonce }));
    expectRefused(await call(operation, valid(), { nonce }), 'nonce_replayed', 'g_nonce');
    expectRefused(await call(operation, valid(), { nonce: null }), 'nonce_missing', 'g_nonce');
    expectRefused(await call(operation, valid(), { nonce: '1234567' }), 'nonce_malformed', 'g_nonce');
  });

  it('all of these and stores nothing', expectNothingStored);
});

describe('O6 and O7 refuse', () => {
  it.each(['/asset/lock', '/asset/unlock'])('%s of more than 1,000 numbers, whatever they are', async (path) => {
    for (const [count, element] of [
      [1_001, `"${lockNums[0]}"`],
      [1_001, '0'],
      [40_000, '0'],
    ] as const) {
      const rawBody = `{"operatorIdentity":"Ada","assetNums":[${Array(count).fill(element).join()}]}`;
      expectRefused(await api.call('POST', path, { rawBody }), 'field_invalid', 'assetNums');
    }
    await expectNothingStored();
  });
});

describe('O9 refuses a size', () => {
  it.each(['1e999', '-1e999', '10000.5', '-0', '1e-400', '9007199254740993', '1e4000'])('%s', async (size) => {
    expectRefused(await api.call('POST', '/shellnums', { rawBody: `{"size":${size}}` }), 'field_invalid', 'size');
    await expectNothingStored();
  });
});

describe.each(OPERATIONS)('$name accepts', (operation) => {
  const { valid } = operation;
  const LIMITS = [
    ['x', 'letters'],
    ['😀', 'emoji'],
  ] as const;
  const texts = Object.entries(operation.body ?? {}).flatMap(([path, kind]) => {
    const length = { text: 255, assetNumInList: 255, optionalAddress: 512 }[kind as string];
    return length === undefined ? [] : LIMITS.map(([character, what]) => ({ path, length, character, what }));
  });

  const addresses = texts.filter(({ length, what }) => length === 512 && what === 'letters');

  it('the valid call', async () => {
    const { body, ...request } = valid();
    // Unknown fields and parameters are ignored.
    const query = { ...request.query, unknown: 'a' };
    const known = body && { ...body, unknown: { a: [1] }, id: 5 };
    const before = await contentOfTables(stack.db);
    const answer = await call(operation, { ...request, query, ...(known && { body: known }) });
    expect(answer.body).toMatchObject({ code: 0, message: 'success' });
    const changesSomething = !isDeepStrictEqual(await contentOfTables(stack.db), before);
    expect(changesSomething).toBe(methodOf(operation) === 'POST' && operation.name !== 'preview');
  });

  it.each(texts)('$path of $length $what', async ({ path, length, character }) => {
    const request = valid();
    put(request.body!, path, ` ${character.repeat(length)} `);
    const { cause = 'none' } = (await call(operation, request)).body;
    expect(cause).not.toMatch(/^field_/);
  });

  it.each(addresses)('$path of several lines', async ({ path }) => {
    const request = valid();
    put(request.body!, path, '1 Main Street\r\nOld Town\n\rHamburg');
    expect((await call(operation, request)).body).toMatchObject({ code: 0 });
  });

  it.each(Object.entries(operation.query ?? {}).filter(([, kind]) => kind.endsWith('ext')))(
    '%s of 255 emoji in the query',
    async (name) => {
      const query = { ...valid().query, [name]: '😀'.repeat(255) };
      const { cause = 'none' } = (await call(operation, { ...valid(), query })).body;
      expect(cause).not.toMatch(/^field_/);
    },
  );
});
