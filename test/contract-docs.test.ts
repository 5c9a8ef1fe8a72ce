import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Cause, causes } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, type Api, dataOf } from './harness/api.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy, type Sent } from './harness/orders.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** The published description against what the service really does (decisions 1 and 9). */
// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

const ROOT = '/order/api/order/v1';

/** Every operation that this version offers, with the parameters of its query and path. */
const OPERATIONS: Record<string, string[]> = {
  'post /oauth2/token': [],
  [`post ${ROOT}/enterprise/user/bind`]: ['g_nonce'],
  [`post ${ROOT}/enterprise/user/create`]: ['g_nonce'],
  [`get ${ROOT}/enterprise/user/query`]: ['channelCode', 'channelCustomerId', 'defaultCustomer', 'g_nonce'],
  [`post ${ROOT}/enterprise/user/update`]: ['g_nonce'],
  [`post ${ROOT}/asset/lock`]: ['g_nonce'],
  [`post ${ROOT}/asset/unlock`]: ['g_nonce'],
  [`get ${ROOT}/asset/{enterpriseGlobalId}/list`]: ['enterpriseGlobalId', 'extendCode', 'g_nonce'],
  [`post ${ROOT}/shellnums`]: ['g_nonce'],
  [`post ${ROOT}/licenseOrder/batchOrder`]: ['appKey', 'g_nonce'],
  [`post ${ROOT}/licenseOrder/batchOrder/preview`]: ['appKey', 'g_nonce'],
  [`post ${ROOT}/licenseOrder/batchOrder/cancel`]: ['g_nonce'],
  [`get ${ROOT}/licenseOrder/batchOrder`]: [
    'channelCode',
    'channelOrderId',
    'cursor',
    'g_nonce',
    'limit',
    'state',
    'waitSeconds',
  ],
  [`get ${ROOT}/licenseOrder/{licenseOrderId}`]: ['g_nonce', 'licenseOrderId'],
};
const BODIES: Record<string, string> = {
  'post /oauth2/token': 'application/x-www-form-urlencoded',
  [`post ${ROOT}/enterprise/user/bind`]: 'application/json',
  [`post ${ROOT}/enterprise/user/create`]: 'application/json',
  [`post ${ROOT}/enterprise/user/update`]: 'application/json',
  [`post ${ROOT}/asset/lock`]: 'application/json',
  [`post ${ROOT}/asset/unlock`]: 'application/json',
  [`post ${ROOT}/shellnums`]: 'application/json',
  [`post ${ROOT}/licenseOrder/batchOrder`]: 'application/json',
  [`post ${ROOT}/licenseOrder/batchOrder/preview`]: 'application/json',
  [`post ${ROOT}/licenseOrder/batchOrder/cancel`]: 'application/json',
};

let stack: Stack;
let api: Api;
let document: Json;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  document = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();
});
afterAll(() => stack.close());

/** Every object inside a JSON value, the value itself included. */
function* objectsIn(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

const resolve = (ref: string): Json =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);

const operationOf = (key: string): Json => {
  const [method, path] = key.split(' ');
  return document.paths[path!]?.[method!];
};

/** A published schema as a check; what it refers to comes from the document's components. */
function checkOf(schema: Json): z.ZodType {
  const whole = { ...schema, $defs: document.components.schemas };
  return z.fromJSONSchema(JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')));
}
const answerCheck = (operation: string, status: number): z.ZodType =>
  checkOf(operationOf(operation).responses[status].content['application/json'].schema);

describe('/openapi.json', () => {
  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  });

  it('lists every operation and no other', () => {
    const listed = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(listed.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });

  it.each(Object.entries(OPERATIONS))('describes %s: summary, parameters, body and answers', (key, parameters) => {
    const operation = operationOf(key);
    expect(operation.summary).toEqual(expect.any(String));
    expect((operation.parameters ?? []).map(({ name }: Json) => name).toSorted()).toEqual(parameters);
    for (const parameter of operation.parameters ?? []) {
      expect(parameter.in).toBe(key.includes(`{${parameter.name}}`) ? 'path' : 'query');
      const isOptional = ['state', 'limit', 'cursor', 'waitSeconds', 'extendCode'].includes(parameter.name);
      expect(parameter.required ?? false).toBe(!isOptional);
    }
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(BODIES[key] === undefined ? [] : [BODIES[key]]);
    const statuses = key.endsWith('/oauth2/token') ? ['200', '400', '401'] : ['200', '299'];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(statuses));
    for (const answer of Object.values<Json>(operation.responses)) expect(answer.description).toBeTruthy();
    if (!key.endsWith('/oauth2/token')) {
      const [scheme] = Object.keys(operation.security[0]);
      expect(document.components.securitySchemes[scheme!]).toEqual({ type: 'http', scheme: 'bearer' });
    }
  });

  it('has no reference that leads nowhere', () => {
    const refs = [...objectsIn(document)].map(({ $ref }) => $ref).filter((ref) => typeof ref === 'string');
    expect(refs.length).toBeGreaterThan(5);
    expect(refs.filter((ref) => !ref.startsWith('#/') || resolve(ref) === undefined)).toEqual([]);
  });

  it('has no component that nothing refers to', () => {
    const refs = new Set([...objectsIn(document)].map(({ $ref }) => $ref));
    const unused = Object.keys(document.components.schemas).filter((name) => !refs.has(`#/components/schemas/${name}`));
    expect(unused).toEqual([]);
  });

  it('names exactly the causes of the table wherever it names causes', () => {
    const enums = [...objectsIn(document)].map(({ properties }) => properties?.cause?.enum).filter(Array.isArray);
    expect(enums.length).toBeGreaterThanOrEqual(Object.keys(OPERATIONS).length - 1);
    for (const words of enums) expect(words.toSorted()).toEqual(Object.keys(causes).toSorted());
  });

  it('is what /docs shows', async () => {
    const page = await fetch(`${stack.baseUrl}/docs`);
    expect(page.status).toBe(200);
    const shown = await fetch(`${stack.baseUrl}/docs/json`);
    expect(await shown.json()).toEqual(document);
  });

  it('takes the orders that the service takes', async () => {
    const batch = batchOf(
      newBuy(await api.newCustomer(), [newAssetNum()]),
      deleteAsset({ customerId: '1', channelCustomerId: 'c', enterpriseGlobalId: '1' } as never, ['8']),
    );
    const { schema } = operationOf(`post ${ROOT}/licenseOrder/batchOrder`).requestBody.content['application/json'];
    expect(checkOf(schema).safeParse(batch).error).toBeUndefined();
    expect(checkOf(schema).safeParse({ ...batch, orderList: [] }).success).toBe(false);
    dataOf(await api.submit(batch));
  });
});

describe('a real answer is of the published shape and holds nothing else', () => {
  const bind = { channelCode: 'test', customerName: 'C', branchName: 'B', passwordMobile: '13800000000' };
  const newBinding = () => ({ ...bind, channelCustomerId: randomUUID(), enterpriseName: `Enterprise ${randomUUID()}` });

  const lockBody = (...assetNums: string[]) => ({ assetNums, operatorIdentity: 'Operator' });
  const CRM_CUSTOMER = randomUUID();
  const ENTERPRISE = { crmCustomerId: CRM_CUSTOMER, customerName: `Enterprise ${CRM_CUSTOMER}`, branchName: 'B' };

  /** A success and a refusal of each operation of the order module. */
  const CALLS: [operation: string, success: () => Promise<Answer>, refused: () => Promise<Answer>][] = [
    [
      `post ${ROOT}/enterprise/user/bind`,
      () => api.call('POST', '/enterprise/user/bind', { body: newBinding() }),
      () => api.call('POST', '/enterprise/user/bind', { body: {} }),
    ],
    [
      `post ${ROOT}/enterprise/user/create`,
      () => api.call('POST', '/enterprise/user/create', { body: ENTERPRISE }),
      () => api.call('POST', '/enterprise/user/create', { nonce: null, body: {} }),
    ],
    [
      `post ${ROOT}/enterprise/user/update`,
      async () => {
        await api.call('POST', '/enterprise/user/create', { body: ENTERPRISE });
        return await api.call('POST', '/enterprise/user/update', { body: { ...ENTERPRISE, address: 'Street' } });
      },
      () => api.call('POST', '/enterprise/user/update', { body: { ...ENTERPRISE, crmCustomerId: randomUUID() } }),
    ],
    [
      `get ${ROOT}/enterprise/user/query`,
      async () => {
        const { channelCode, channelCustomerId } = await api.newCustomer();
        const query = { channelCode, channelCustomerId, defaultCustomer: 'N' };
        return await api.call('GET', '/enterprise/user/query', { query });
      },
      () => api.call('GET', '/enterprise/user/query', { token: null }),
    ],
    ...['lock', 'unlock'].map((operation): (typeof CALLS)[number] => [
      `post ${ROOT}/asset/${operation}`,
      async () => {
        const customer = await api.newCustomer();
        const [lock, certificate] = [newAssetNum(), newAssetNum()];
        await api.process(
          batchOf(newBuy(customer, [lock]), newBuy(customer, [certificate], { licenseType: 'softkey' })),
        );
        const body = lockBody(lock, certificate, newAssetNum());
        const answer = await api.call('POST', `/asset/${operation}`, { body });
        expect(dataOf(answer).map(({ status }: Json) => status)).toEqual([1, 4, 2]);
        return answer;
      },
      () => api.call('POST', `/asset/${operation}`, { body: lockBody() }),
    ]),
    [
      `get ${ROOT}/asset/{enterpriseGlobalId}/list`,
      async () => {
        const customer = await api.newCustomer();
        const licenseType = { licenseType: 'cloud_customer' };
        const element = {
          limitStartDate: 1,
          limitEndDate: 2,
          assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }],
        };
        const [assigned, unassigned] = [newAssetNum(), newAssetNum()];
        await api.process(
          batchOf(newBuy(customer, [assigned], licenseType), newBuy(customer, [unassigned], licenseType, element)),
        );
        await assign(assigned, customer.enterpriseGlobalId);
        const answer = await api.call('GET', `/asset/${customer.enterpriseGlobalId}/list`);
        expect(dataOf(answer).map(({ assignStatus }: Json) => assignStatus.assignStatus)).toEqual([
          'assigned',
          'unassigned',
        ]);
        return answer;
      },
      () => api.call('GET', '/asset/1/list'),
    ],
    [
      `post ${ROOT}/shellnums`,
      () => api.call('POST', '/shellnums', { body: { size: 3 } }),
      () => api.call('POST', '/shellnums', { body: { size: 0 } }),
    ],
    [
      `post ${ROOT}/licenseOrder/batchOrder`,
      async () => await api.submit(batchOf(newBuy(await api.newCustomer(), [newAssetNum()]))),
      () => api.submit(batchOf()),
    ],
    [
      `post ${ROOT}/licenseOrder/batchOrder/preview`,
      async () => {
        const customer = await api.newCustomer();
        const assetNum = newAssetNum();
        await api.process(batchOf(newBuy(customer, [assetNum])));
        const answer = await preview(
          deleteProduct(customer, [assetNum], { productUri: 'another' }),
          newBuy(customer, [newAssetNum()]),
          deleteAsset(customer, [assetNum]),
        );
        const [failed, ...succeeded] = dataOf(answer);
        expect(failed.nearest).toHaveLength(1);
        expect(succeeded.map(({ products }: Json) => products.length)).toEqual([1, 1]);
        return answer;
      },
      () => preview(),
    ],
    [
      `post ${ROOT}/licenseOrder/batchOrder/cancel`,
      async () => {
        const { channelCode, channelOrderId } = await finishedBatch();
        return await api.call('POST', '/licenseOrder/batchOrder/cancel', { body: { channelCode, channelOrderId } });
      },
      () => api.call('POST', '/licenseOrder/batchOrder/cancel', { body: { channelCode: 'a', channelOrderId: 'b' } }),
    ],
    [
      `get ${ROOT}/licenseOrder/batchOrder`,
      async () => {
        const batch = await finishedBatch();
        const { channelCode, channelOrderId } = batch;
        return await api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } });
      },
      () => api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode: 'a', channelOrderId: 'b' } }),
    ],
    [
      `get ${ROOT}/licenseOrder/{licenseOrderId}`,
      async () => {
        const { orders } = await api.completed(await finishedBatch());
        return await api.call('GET', `/licenseOrder/${orders[1]!.licenseOrderId}`);
      },
      () => api.call('GET', '/licenseOrder/1'),
    ],
  ];

  /** A batch with an order that succeeded and one that failed. */
  async function finishedBatch() {
    const customer = await api.newCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]));
    await api.process(batch);
    return batch;
  }

  const preview = (...orders: Sent[]) => {
    const { appKey } = api.credentials;
    return api.call('POST', '/licenseOrder/batchOrder/preview', { body: batchOf(...orders), query: { appKey } });
  };

  /** Has a new employee of the enterprise hold an asset. */
  async function assign(assetNum: string, enterpriseId: string): Promise<void> {
    const employee = { enterprise_id: enterpriseId, user_name: 'holder', is_administrator: false };
    const member = await stack.db.insertInto('member').values(employee).returning('id').executeTakeFirstOrThrow();
    const assets = stack.db.selectFrom('asset').select('id').where('asset_num', '=', assetNum);
    const asset = await assets.executeTakeFirstOrThrow();
    await stack.db.insertInto('asset_assignment').values({ asset_id: asset.id, member_id: member.id }).execute();
  }

  it('for every operation of the order module', () => {
    const operations = Object.keys(OPERATIONS).filter((key) => key.includes(ROOT));
    expect(CALLS.map(([operation]) => operation).toSorted()).toEqual(operations.toSorted());
  });

  it.each(CALLS)('%s', async (operation, success, refused) => {
    const [good, bad] = [await success(), await refused()];
    expect([good.status, bad.status]).toEqual([200, 299]);
    expect(answerCheck(operation, 200).safeParse(good.body).error).toBeUndefined();
    expect(answerCheck(operation, 299).safeParse(bad.body).error).toBeUndefined();
    expect(answerCheck(operation, 200).safeParse({ ...good.body, more: 1 }).success).toBe(false);
    expect(answerCheck(operation, 200).safeParse(bad.body).success).toBe(false);
    expect(answerCheck(operation, 299).safeParse({ ...bad.body, cause: 'unheard_of' }).success).toBe(false);
  });

  it.each<[status: 200 | 400 | 401, grant: string, secret: () => string]>([
    [200, 'client_credentials', () => api.credentials.appSecret],
    [400, 'implicit', () => api.credentials.appSecret],
    [401, 'client_credentials', () => 'wrong'],
  ])('the token endpoint with HTTP %i', async (status, grant_type, secret) => {
    const form = { grant_type, client_id: api.credentials.appKey, client_secret: secret() };
    const response = await fetch(`${stack.baseUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
    expect(response.status).toBe(status);
    const check = answerCheck('post /oauth2/token', status);
    expect(check.safeParse(await response.json()).error).toBeUndefined();
  });
});

describe('the table of causes', () => {
  /** Where each cause is brought about, or why no test can. */
  const TRIED: Record<Cause, `${string}.test.ts` | { never: string }> = {
    token_missing: 'access.test.ts',
    token_invalid: 'access.test.ts',
    scope_missing: 'access.test.ts',
    application_not_approved: 'access.test.ts',
    nonce_missing: 'access.test.ts',
    nonce_malformed: 'access.test.ts',
    nonce_replayed: 'access.test.ts',
    app_key_mismatch: 'refusals-content.test.ts',
    json_malformed: 'refusals-bodies.test.ts',
    content_type_unsupported: 'refusals-bodies.test.ts',
    body_too_large: 'refusals-bodies.test.ts',
    field_missing: 'refusals-content.test.ts',
    field_invalid: 'refusals-content.test.ts',
    dates_reversed: 'refusals-content.test.ts',
    sequence_repeated: 'refusals-content.test.ts',
    asset_number_repeated: 'refusals-content.test.ts',
    asset_without_items: 'refusals-content.test.ts',
    merchandise_too_deep: 'refusals-content.test.ts',
    list_too_long: 'refusals-size.test.ts',
    batch_too_large: 'refusals-size.test.ts',
    src_license_order_required: 'refusals-content.test.ts',
    channel_order_id_conflict: 'refusals-repeats.test.ts',
    cancelled: 'cancel.test.ts',
    enterprise_not_found: 'virtual-assets.test.ts',
    asset_numbers_exhausted: 'asset-numbers.test.ts',
    batch_not_found: 'results.test.ts',
    order_not_found: 'results.test.ts',
    customer_not_found: 'rules.test.ts',
    enterprise_mismatch: 'rules.test.ts',
    source_order_not_found: 'rules.test.ts',
    asset_owned_by_other_customer: 'rules.test.ts',
    license_type_mismatch: 'rules.test.ts',
    asset_not_found: 'rules.test.ts',
    asset_not_in_source_order: 'rules.test.ts',
    product_not_found: 'rules.test.ts',
    internal_error: 'ordering.test.ts',
    enterprise_mobile_mismatch: 'customers.test.ts',
    enterprise_name_taken: 'customers.test.ts',
    customer_bound_elsewhere: 'customers.test.ts',
    operation_not_found: 'envelope.test.ts',
    method_not_allowed: 'envelope.test.ts',
    service_unavailable: 'envelope.test.ts',
    http_malformed: 'envelope.test.ts',
    headers_too_large: 'envelope.test.ts',
    overloaded: 'envelope.test.ts',
  };
  const tried = Object.entries(TRIED).flatMap(([cause, file]) => (typeof file === 'string' ? [{ cause, file }] : []));

  it.each(tried)('$cause is brought about in $file', async ({ cause, file }) => {
    expect(await readFile(new URL(file, import.meta.url), 'utf8')).toContain(`'${cause}'`);
  });

  it('is the list that is kept here', () => {
    expect(Object.keys(TRIED).toSorted()).toEqual(Object.keys(causes).toSorted());
  });

  it('has words that stay what they are, and messages for people', () => {
    for (const [cause, { code, message }] of Object.entries(causes)) {
      expect(cause).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(code).toMatch(/^\d{3,5}$/);
      expect(message).toMatch(/\.$|\{1\}$|^\{0\}: \{1\}$/);
    }
  });
});
