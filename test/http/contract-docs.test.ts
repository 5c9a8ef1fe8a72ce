import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describeApi } from '@lockstep/api';
import { AuditAction, type Cause, causes, type EnterpriseId } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { startAnotherApi } from '../harness/another-api.ts';
import { type Answer, type Api, dataOf } from '../harness/api.ts';
import { askUserToken, MemberCenter, newEmployee } from '../harness/member-center.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders.ts';
import { buildPublishedCheck, objectsIn } from '../harness/published.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** The published description against what the service really does (rules 1 and 9). */
// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

const ROOT = '/order/api/order/v1';
const ME_ROOT = '/me/api/v1';
const WEBHOOK = `${ROOT}/webhooks/{webhookId}`;
const EMPLOYEE = `${ME_ROOT}/enterprise/{enterpriseGlobalId}/member/{memberGlobalId}`;

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
  [`get ${ROOT}/licenseOrder/batchOrder/failed`]: ['channelCode', 'channelOrderId', 'g_nonce'],
  [`get ${ROOT}/licenseOrder/{licenseOrderId}`]: ['g_nonce', 'licenseOrderId'],
  [`get ${ROOT}/events`]: ['after', 'g_nonce', 'limit', 'waitSeconds'],
  [`get ${ROOT}/licenseOrder/batchOrders`]: [
    'acceptedFrom',
    'acceptedTo',
    'channelCode',
    'cursor',
    'g_nonce',
    'hasFailed',
    'limit',
    'state',
  ],
  [`get ${ROOT}/licenseOrder/orders`]: [
    'acceptedFrom',
    'acceptedTo',
    'assetNum',
    'cause',
    'channelCode',
    'cursor',
    'customerId',
    'g_nonce',
    'limit',
    'orderType',
    'state',
  ],
  [`post ${ROOT}/webhooks`]: ['g_nonce'],
  [`get ${ROOT}/webhooks`]: ['g_nonce'],
  [`get ${WEBHOOK}`]: ['g_nonce', 'webhookId'],
  [`delete ${WEBHOOK}`]: ['g_nonce', 'webhookId'],
  [`post ${WEBHOOK}/rotateSecret`]: ['g_nonce', 'webhookId'],
  [`post ${WEBHOOK}/test`]: ['g_nonce', 'webhookId'],
  [`post ${WEBHOOK}/enable`]: ['g_nonce', 'webhookId'],
  [`post ${WEBHOOK}/replay`]: ['g_nonce', 'webhookId'],
  [`get ${WEBHOOK}/deliveries`]: ['cursor', 'g_nonce', 'limit', 'webhookId'],
  [`get ${ROOT}/asset/{assetNum}`]: ['assetNum', 'g_nonce'],
  [`get ${ROOT}/asset/{assetNum}/history`]: ['assetNum', 'cursor', 'g_nonce', 'limit'],
  [`post ${ME_ROOT}/enterprise/{enterpriseGlobalId}/member`]: ['enterpriseGlobalId', 'g_nonce'],
  [`put ${EMPLOYEE}`]: ['enterpriseGlobalId', 'g_nonce', 'memberGlobalId'],
  [`put ${EMPLOYEE}/resetPassword`]: ['enterpriseGlobalId', 'g_nonce', 'memberGlobalId'],
  [`delete ${EMPLOYEE}`]: ['enterpriseGlobalId', 'g_nonce', 'memberGlobalId'],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/members`]: [
    'departmentId',
    'enterpriseGlobalId',
    'g_nonce',
    'keyword',
    'pageNum',
    'pageSize',
  ],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/asset/assetNums`]: ['enterpriseGlobalId', 'g_nonce'],
  [`get ${ME_ROOT}/enterprise/asset/{assetId}/merchandiseProducts`]: ['assetId', 'g_nonce'],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/asset/borrowUsbKeys`]: ['enterpriseGlobalId', 'g_nonce'],
  [`post ${ME_ROOT}/enterprise/member/{memberGlobalId}/privileges`]: ['g_nonce', 'memberGlobalId'],
  [`post ${ME_ROOT}/enterprise/member/{memberGlobalId}/borrow`]: ['g_nonce', 'memberGlobalId'],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/audit`]: ['enterpriseGlobalId', 'g_nonce', 'pageNum', 'pageSize'],
};
const OPTIONAL = ['state', 'limit', 'cursor', 'waitSeconds', 'after', 'extendCode', 'departmentId', 'keyword'];
/** Of these, every parameter but g_nonce is optional. */
const LISTS = [`get ${ROOT}/licenseOrder/batchOrders`, `get ${ROOT}/licenseOrder/orders`];
const isOptional = (key: string, name: string) =>
  OPTIONAL.includes(name) || (LISTS.includes(key) && name !== 'g_nonce');
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
  [`post ${ROOT}/webhooks`]: 'application/json',
  [`post ${WEBHOOK}/replay`]: 'application/json',
  [`post ${ME_ROOT}/enterprise/{enterpriseGlobalId}/member`]: 'application/json',
  [`put ${EMPLOYEE}`]: 'application/json',
  [`put ${EMPLOYEE}/resetPassword`]: 'application/json',
  [`post ${ME_ROOT}/enterprise/member/{memberGlobalId}/privileges`]: 'application/json',
  [`post ${ME_ROOT}/enterprise/member/{memberGlobalId}/borrow`]: 'application/json',
};

let stack: Stack;
let api: Api;
let center: MemberCenter;
let document: Json;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  center = await MemberCenter.open(stack, api);
  document = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();
});
afterAll(() => stack.close());

const resolve = (ref: string): Json =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);

const operationOf = (key: string): Json => {
  const [method, path] = key.split(' ');
  return document.paths[path!]?.[method!];
};

const checkOf = (schema: Json) => buildPublishedCheck(document, schema);
/** An answer is to hold what is published and nothing else, though clients are told to expect more some day. */
const answerCheck = (operation: string, status: number): z.ZodType =>
  buildPublishedCheck(document, operationOf(operation).responses[status].content['application/json'].schema, {
    isClosed: true,
  });

describe('/openapi.json', () => {
  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  });

  it('is the same that is written without a service', async () => {
    expect(await describeApi(null)).toEqual(document);
  });

  it('names as server the place that it came from, or PUBLIC_URL', async () => {
    expect(document.servers).toMatchObject([{ url: '/' }]);
    const publicUrl = 'https://example.com/lockstep';
    const other = await startAnotherApi(stack, api, { publicUrl });
    try {
      const { servers } = (await (await fetch(`${other.api.baseUrl}/openapi.json`)).json()) as Json;
      expect(servers).toMatchObject([{ url: publicUrl }]);
    } finally {
      await other.close();
    }
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
      expect(parameter.required ?? false).toBe(!isOptional(key, parameter.name));
    }
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(BODIES[key] === undefined ? [] : [BODIES[key]]);
    const statuses = key.endsWith('/oauth2/token') ? ['200', '400', '401'] : ['200', '299'];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(statuses));
    for (const { $ref, description } of Object.values<Json>(operation.responses)) {
      expect(description ?? resolve($ref).description).toBeTruthy();
    }
  });

  it('asks for a bearer token, in the member center for two headers more', () => {
    const { securitySchemes } = document.components;
    expect(securitySchemes).toMatchObject({
      client: { type: 'http', scheme: 'basic' },
      application: { type: 'http', scheme: 'bearer' },
      clientToken: { type: 'apiKey', in: 'header', name: 'clientToken' },
      userToken: { type: 'apiKey', in: 'header', name: 'userToken' },
    });
    const asked = Object.keys(OPERATIONS).map((key) => [key, operationOf(key).security]);
    expect(asked).toEqual(
      Object.keys(OPERATIONS).map((key) => {
        if (key.includes(ROOT)) return [key, [{ application: [] }]];
        if (key.includes(ME_ROOT)) return [key, [{ application: [], clientToken: [], userToken: [] }]];
        return [key, [{ client: [] }, {}]];
      }),
    );
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
    const { Cause, Failure } = document.components.schemas;
    expect(Cause.enum).toEqual(Object.keys(causes));
    expect(Failure.properties.cause).toMatchObject({ $ref: '#/components/schemas/Cause' });
    const words = JSON.stringify(document.components.schemas).split('"token_missing"').length - 1;
    expect(words).toBe(1);
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

  /** A success and a refusal of each operation of both modules. */
  const CALLS: [operation: string, success: () => Promise<Answer>, refused: () => Promise<Answer>][] = [
    [
      `post ${ROOT}/enterprise/user/bind`,
      () => api.ask('bindCustomer', { body: newBinding() }),
      () => api.ask('bindCustomer', { body: {} }),
    ],
    [
      `post ${ROOT}/enterprise/user/create`,
      () => api.ask('createEnterprise', { body: ENTERPRISE }),
      () => api.ask('createEnterprise', { nonce: null, body: {} }),
    ],
    [
      `post ${ROOT}/enterprise/user/update`,
      async () => {
        await api.ask('createEnterprise', { body: ENTERPRISE });
        return await api.ask('updateCustomer', { body: { ...ENTERPRISE, address: 'Street' } });
      },
      () => api.ask('updateCustomer', { body: { ...ENTERPRISE, crmCustomerId: randomUUID() } }),
    ],
    [
      `get ${ROOT}/enterprise/user/query`,
      async () => {
        const { channelCode, channelCustomerId } = await api.newCustomer();
        const query = { channelCode, channelCustomerId, defaultCustomer: 'N' };
        return await api.ask('queryCustomers', { query });
      },
      () => api.ask('queryCustomers', { token: null }),
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
      `get ${ROOT}/asset/{assetNum}`,
      async () => {
        const assetNum = newAssetNum();
        await api.process(batchOf(newBuy(await api.newCustomer(), [assetNum], {}, { merchandises: [merchandise()] })));
        return await api.call('GET', `/asset/${assetNum}`);
      },
      () => api.call('GET', `/asset/${newAssetNum()}`),
    ],
    [
      `get ${ROOT}/asset/{assetNum}/history`,
      async () => {
        const assetNum = newAssetNum();
        await api.process(batchOf(newBuy(await api.newCustomer(), [assetNum])));
        return await api.call('GET', `/asset/${assetNum}/history`, { query: { limit: '1' } });
      },
      () => api.call('GET', `/asset/${newAssetNum()}/history`),
    ],
    [
      `post ${ROOT}/shellnums`,
      () => api.ask('takeAssetNumbers', { body: { size: 3 } }),
      () => api.ask('takeAssetNumbers', { body: { size: 0 } }),
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
        return await api.ask('cancelBatchOrder', { body: { channelCode, channelOrderId } });
      },
      () => api.ask('cancelBatchOrder', { body: { channelCode: 'a', channelOrderId: 'b' } }),
    ],
    [
      `get ${ROOT}/licenseOrder/batchOrder`,
      async () => {
        const batch = await finishedBatch();
        const { channelCode, channelOrderId } = batch;
        return await api.ask('getBatchResult', { query: { channelCode, channelOrderId } });
      },
      () => api.ask('getBatchResult', { query: { channelCode: 'a', channelOrderId: 'b' } }),
    ],
    [
      `get ${ROOT}/licenseOrder/batchOrder/failed`,
      async () => {
        const { channelCode, channelOrderId } = await finishedBatch();
        const answer = await api.ask('getFailedOrders', { query: { channelCode, channelOrderId } });
        expect(dataOf(answer).orderList).toHaveLength(1);
        return answer;
      },
      () => api.ask('getFailedOrders', { query: { channelCode: 'a', channelOrderId: 'b' } }),
    ],
    [
      `get ${ROOT}/licenseOrder/{licenseOrderId}`,
      async () => {
        const { orders } = await api.completed(await finishedBatch());
        return await api.call('GET', `/licenseOrder/${orders[1]!.licenseOrderId}`);
      },
      () => api.call('GET', '/licenseOrder/1'),
    ],
    [
      `get ${ROOT}/events`,
      async () => {
        await finishedBatch();
        const answer = await api.ask('getEvents', { query: { waitSeconds: '30' } });
        expect(dataOf(answer).events).not.toEqual([]);
        return answer;
      },
      () => api.ask('getEvents', { query: { after: 'x' } }),
    ],
    [
      `post ${ROOT}/webhooks`,
      () => createWebhook({ description: 'Night shift' }),
      () => createWebhook({ url: 'https://10.0.0.5/' }),
    ],
    [
      `get ${ROOT}/webhooks`,
      async () => {
        await createWebhook();
        return await api.call('GET', '/webhooks');
      },
      () => api.call('GET', '/webhooks', { token: null }),
    ],
    ofWebhook('get', ''),
    ofWebhook('delete', ''),
    ofWebhook('post', '/rotateSecret'),
    ofWebhook('post', '/test'),
    ofWebhook('post', '/enable'),
    ofWebhook('post', '/replay', { after: '0' }),
    [
      `get ${WEBHOOK}/deliveries`,
      async () => {
        const { webhookId } = dataOf(await createWebhook());
        await api.call('POST', `/webhooks/${webhookId}/test`);
        const list = () => api.call('GET', `/webhooks/${webhookId}/deliveries`);
        // Nobody has the name of the host.
        await expect.poll(async () => dataOf(await list()).deliveries[0].attempts, { timeout: 20_000 }).toHaveLength(1);
        return await list();
      },
      () => api.call('GET', '/webhooks/404/deliveries'),
    ],
    [
      `get ${ROOT}/licenseOrder/batchOrders`,
      async () => {
        await api.carryOut(newBuy(await api.newCustomer(), [newAssetNum()]));
        const answer = await api.ask('listBatches', { query: { limit: '1' } });
        expect(dataOf(answer)).toMatchObject({ batches: [expect.anything()], nextCursor: expect.any(String) });
        return answer;
      },
      () => api.ask('listBatches', { query: { limit: '0' } }),
    ],
    [
      `get ${ROOT}/licenseOrder/orders`,
      async () => {
        await api.process(batchOf(deleteAsset(await api.newCustomer(), [newAssetNum()])));
        const answer = await api.ask('listOrders', { query: { limit: '1' } });
        expect(dataOf(answer)).toMatchObject({ orders: [{ state: 'failed' }], nextCursor: expect.any(String) });
        return answer;
      },
      () => api.ask('listOrders', { query: { cause: 'none' } }),
    ],
    [
      `post ${ME_ROOT}/enterprise/{enterpriseGlobalId}/member`,
      () => center.submitAdd([newEmployee(), newEmployee({ departmentId: 1, remark: 'Remark' })]),
      () => center.submitAdd([]),
    ],
    [
      `put ${EMPLOYEE}`,
      () => center.edit(center.cloudId, { userName: 'cloud', name: 'Cloud', remark: null }),
      () => center.edit(center.cloudId, {}),
    ],
    [
      `put ${EMPLOYEE}/resetPassword`,
      () => center.resetPassword(center.cloudId, 'correct horse'),
      () => center.resetPassword(center.cloudId, ''),
    ],
    [
      `delete ${EMPLOYEE}`,
      async () => await center.delete((await center.add())[0]!.globalId),
      () => center.delete('1', { nonce: null }),
    ],
    [
      `get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/members`,
      async () => {
        await lent();
        const answer = await center.submitList({ pageNum: '1', pageSize: '500' });
        expect(new Set(dataOf(answer).list.map(({ borrowNum }: Json) => borrowNum !== ''))).toEqual(
          new Set([true, false]),
        );
        return answer;
      },
      () => center.submitList({ pageNum: '0', pageSize: '500' }),
    ],
    [
      `get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/asset/assetNums`,
      async () => {
        await lent();
        await center.buy();
        const answer = await center.call('GET', `/enterprise/${center.enterpriseId}/asset/assetNums`);
        const holders = dataOf(answer).map(({ cloudAccountGlobalId }: Json) => cloudAccountGlobalId);
        expect(new Set(holders)).toEqual(new Set([center.cloudId, null]));
        return answer;
      },
      () => center.call('GET', `/enterprise/${center.enterpriseId}/asset/assetNums`, { userToken: null }),
    ],
    [
      `get ${ME_ROOT}/enterprise/asset/{assetId}/merchandiseProducts`,
      async () => {
        const feature = { featureCode: 'F', featureName: 'F', featureValue: '1', featureValueType: 'number', trial: 0 };
        const products = [
          productToBuy({ productFeatures: [{ ...feature, trialEndDate: '2030-01-01' }], gmsPid: 'gms-100' }),
          productToBuy({ limitStartDate: 1, limitEndDate: 2, trial: 1, trialEndDate: 3, appKey: 'app' }),
        ];
        const merchandises = [merchandise({ children: [merchandise({ licenseOrderProductList: [] })] })];
        const [asset] = await center.buy(1, {}, { products, merchandises });
        const answer = await center.call('GET', `/enterprise/asset/${asset!.assetId}/merchandiseProducts`);
        const { productInstanceList, children } = dataOf(answer);
        expect([productInstanceList.length, children[0].productInstanceList.length]).toEqual([2, 1]);
        expect(children[0].children).toMatchObject([{ children: null, productInstanceList: null }]);
        return answer;
      },
      () => center.call('GET', '/enterprise/asset/none/merchandiseProducts'),
    ],
    [
      `get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/asset/borrowUsbKeys`,
      async () => {
        await lent();
        await center.buyLocks();
        const answer = await center.call('GET', `/enterprise/${center.enterpriseId}/asset/borrowUsbKeys`);
        const lenders = dataOf(answer).map(({ cloudAccountGlobalId }: Json) => cloudAccountGlobalId);
        expect(new Set(lenders)).toEqual(new Set([center.cloudId, null]));
        return answer;
      },
      () => center.call('GET', '/enterprise/1/asset/borrowUsbKeys'),
    ],
    [
      `post ${ME_ROOT}/enterprise/member/{memberGlobalId}/privileges`,
      async () => await center.configure(center.cloudId, [], [(await center.buy())[0]!.assetNum]),
      () => center.configure(center.cloudId, [], [newAssetNum()]),
    ],
    [
      `post ${ME_ROOT}/enterprise/member/{memberGlobalId}/borrow`,
      async () => (await lent()).answer,
      () => center.lend(center.cloudId, newAssetNum(), ['1']),
    ],
    [
      `get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/audit`,
      async () => {
        const { asset } = await lent();
        dataOf(await center.configure(center.cloudId, [asset.assetNum], []));
        dataOf(await center.edit(center.cloudId, { userName: 'cloud', name: randomUUID().slice(0, 8) }));
        dataOf(await center.delete((await center.add())[0]!.globalId));
        const query = { pageNum: '1', pageSize: '500' };
        const answer = await center.call('GET', `/enterprise/${center.enterpriseId}/audit`, { query });
        const actions = dataOf(answer).list.map(({ action }: Json) => action);
        expect(new Set(actions)).toEqual(new Set(AuditAction.options));
        return answer;
      },
      () => center.call('GET', `/enterprise/${center.enterpriseId}/audit`),
    ],
  ];

  const createWebhook = (changes: object = {}) =>
    api.call('POST', '/webhooks', { body: { url: 'https://hooks.works.example/', ...changes } });

  /** An operation on a webhook that is there, and on one that is not. */
  function ofWebhook(method: string, operation: string, body?: object): (typeof CALLS)[number] {
    const ask = (webhookId: string) => api.call(method.toUpperCase(), `/webhooks/${webhookId}${operation}`, { body });
    return [
      `${method} ${WEBHOOK}${operation}`,
      async () => await ask(dataOf(await createWebhook()).webhookId),
      () => ask('404'),
    ];
  }

  /** Lends an asset that the cloud employee holds into a lock. Returns the asset and M10's answer. */
  async function lent() {
    const [asset] = await center.buy();
    const [lock] = await center.buyLocks();
    await center.assign(center.cloudId, asset!.assetNum);
    return { asset: asset!, answer: await center.lend(center.cloudId, lock!.assetNum, [asset!.assetId]) };
  }

  /** A batch with an order that succeeded and one that failed. */
  async function finishedBatch() {
    const customer = await api.newCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]));
    await api.process(batch);
    return batch;
  }

  const preview = (...orders: Sent[]) => {
    const { appKey } = api.credentials;
    return api.ask('previewBatchOrder', { body: batchOf(...orders), query: { appKey } });
  };

  /** Has a new employee of the enterprise hold an asset. */
  async function assign(assetNum: string, enterpriseId: EnterpriseId): Promise<void> {
    const role = { is_administrator: false, is_provisioned: true };
    const employee = { enterprise_id: enterpriseId, user_name: 'holder', name: 'Holder', ...role };
    const member = await stack.db.insertInto('member').values(employee).returning('id').executeTakeFirstOrThrow();
    const assets = stack.db.selectFrom('asset').select('id').where('asset_num', '=', assetNum);
    const asset = await assets.executeTakeFirstOrThrow();
    await stack.db.insertInto('asset_assignment').values({ asset_id: asset.id, member_id: member.id }).execute();
  }

  it('for every operation of both modules', () => {
    const operations = Object.keys(OPERATIONS).filter((key) => !key.endsWith('/oauth2/token'));
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

  it('M1, where some employees fail and where all do', async () => {
    const operation = `post ${ME_ROOT}/enterprise/{enterpriseGlobalId}/member`;
    const wrong = newEmployee({ name: '' });
    const some = await center.submitAdd([newEmployee(), wrong]);
    const none = await center.submitAdd([wrong]);
    expect([some.body.code, none.body.code]).toEqual(['60027', '40022']);
    expect(some.body.data).toMatchObject({ succeeded: [{ deleted: false }], failed: [{ userName: wrong.userName }] });
    expect(none.body.data).toMatchObject({ succeeded: [], failed: [{ userName: wrong.userName }] });
    for (const { status, body } of [some, none]) {
      expect(status).toBe(body === some.body ? 200 : 299);
      const check = answerCheck(operation, status);
      expect(check.safeParse(body).error).toBeUndefined();
      expect(check.safeParse({ ...body, more: 1 }).success).toBe(false);
      expect(check.safeParse({ ...body, data: { ...body.data, failed: undefined } }).success).toBe(false);
      expect(check.safeParse({ ...body, cause: 'unheard_of' }).success).toBe(false);
    }
    const { data: _, ...withoutData } = some.body;
    for (const body of [withoutData, none.body]) {
      expect(answerCheck(operation, 200).safeParse(body).success).toBe(false);
    }
  });

  it.each(['right', 'wrong'])("the token endpoint with a user's %s password", async (which) => {
    const password = which === 'right' ? center.password : which;
    const answer = await askUserToken(stack.baseUrl, api.credentials, { account: center.account, password });
    expect(answer.status).toBe(which === 'right' ? 200 : 400);
    expect(answerCheck('post /oauth2/token', answer.status).safeParse(answer.body).error).toBeUndefined();
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
    token_missing: 'http/access.test.ts',
    token_invalid: 'http/access.test.ts',
    scope_missing: 'http/access.test.ts',
    application_not_approved: 'http/access.test.ts',
    nonce_missing: 'http/access.test.ts',
    nonce_malformed: 'http/access.test.ts',
    nonce_replayed: 'http/access.test.ts',
    app_key_mismatch: 'order/refusals-content.long.test.ts',
    channel_not_allowed: 'order/bound-applications.test.ts',
    json_malformed: 'order/refusals-bodies.test.ts',
    content_type_unsupported: 'order/refusals-bodies.test.ts',
    json_too_deep: 'order/refusals-bodies.test.ts',
    body_too_large: 'order/refusals-bodies.test.ts',
    field_missing: 'order/refusals-content.long.test.ts',
    field_invalid: 'order/refusals-content.long.test.ts',
    dates_reversed: 'order/refusals-content.long.test.ts',
    sequence_repeated: 'order/refusals-content.long.test.ts',
    asset_number_repeated: 'order/refusals-content.long.test.ts',
    asset_number_shared: 'order/settled-rules.test.ts',
    asset_without_items: 'order/refusals-content.long.test.ts',
    merchandise_too_deep: 'order/refusals-content.long.test.ts',
    list_too_long: 'order/refusals-size.test.ts',
    batch_too_large: 'order/refusals-size.test.ts',
    src_license_order_required: 'order/refusals-content.long.test.ts',
    channel_order_id_conflict: 'order/refusals-repeats.test.ts',
    cancelled: 'order/cancel.test.ts',
    enterprise_not_found: 'order/virtual-assets.test.ts',
    asset_numbers_exhausted: 'order/asset-numbers.test.ts',
    batch_not_found: 'order/results.test.ts',
    content_expired: 'order/failed-orders.test.ts',
    order_not_found: 'order/results.test.ts',
    batch_archived: 'durability/archive.long.test.ts',
    order_archived: 'durability/archive.long.test.ts',
    webhook_not_found: 'order/webhooks.test.ts',
    webhook_disabled: 'order/webhook-deliveries.test.ts',
    webhook_address_forbidden: 'order/webhooks.test.ts',
    webhooks_exhausted: 'order/webhooks.test.ts',
    customer_not_found: 'order/rules.test.ts',
    enterprise_mismatch: 'order/rules.test.ts',
    source_order_not_found: 'order/rules.test.ts',
    asset_owned_by_other_customer: 'order/rules.test.ts',
    license_type_mismatch: 'order/rules.test.ts',
    asset_not_found: 'order/rules.test.ts',
    asset_not_in_source_order: 'order/rules.test.ts',
    product_not_found: 'order/rules.test.ts',
    internal_error: 'durability/unasked-orders.long.test.ts',
    enterprise_mobile_mismatch: 'order/customers.test.ts',
    enterprise_name_taken: 'order/customers.test.ts',
    customer_bound_elsewhere: 'order/customers.test.ts',
    operation_not_found: 'http/envelope.test.ts',
    method_not_allowed: 'http/envelope.test.ts',
    service_unavailable: 'http/envelope.test.ts',
    http_malformed: 'http/envelope.test.ts',
    request_timeout: 'http/http-edge.test.ts',
    expectation_unsupported: 'http/http-edge.test.ts',
    headers_too_large: 'http/envelope.test.ts',
    overloaded: 'http/rude-clients.long.test.ts',
    client_token_missing: 'member/member-refusals-callers.test.ts',
    client_token_invalid: 'member/member-refusals-callers.test.ts',
    client_token_mismatch: 'member/member-refusals-callers.test.ts',
    user_token_missing: 'member/member-refusals-callers.test.ts',
    user_token_invalid: 'member/member-refusals-callers.test.ts',
    not_administrator: 'member/member-refusals-callers.test.ts',
    employee_list_empty: 'member/member-refusals.test.ts',
    too_many_employees: 'member/member-refusals.test.ts',
    account_missing: 'member/member-refusals.test.ts',
    account_malformed: 'member/member-refusals.test.ts',
    account_taken: 'member/member-refusals.test.ts',
    group_id_missing: 'member/member-refusals.test.ts',
    password_missing: 'member/member-refusals.test.ts',
    password_length: 'member/member-refusals.test.ts',
    name_missing: 'member/member-refusals.test.ts',
    name_too_long: 'member/member-refusals.test.ts',
    remark_too_long: 'member/member-refusals.test.ts',
    mobile_invalid: 'member/member-refusals.test.ts',
    trial_employees_exhausted: 'member/member-refusals.test.ts',
    some_employees_failed: 'member/member-refusals.test.ts',
    employee_not_found: 'member/member-refusals.test.ts',
    account_mismatch: 'member/member-refusals.test.ts',
    last_administrator: 'member/member-refusals-callers.test.ts',
    customer_not_bound: 'member/member-refusals-holdings.test.ts',
    employee_not_matched: 'member/member-refusals-holdings.test.ts',
    asset_id_not_found: 'member/member-refusals-holdings.test.ts',
    asset_number_not_found: 'member/member-refusals-holdings.test.ts',
    asset_not_withdrawable: 'member/member-refusals-holdings.test.ts',
    asset_of_other_enterprise: 'member/member-refusals-holdings.test.ts',
    asset_configured_twice: 'member/member-refusals-holdings.test.ts',
    borrowed_lock_unusable: 'member/member-refusals-holdings.test.ts',
    borrowed_lock_taken: 'member/member-refusals-holdings.test.ts',
    asset_not_held: 'member/member-refusals-holdings.test.ts',
    asset_lent_elsewhere: 'member/member-refusals-holdings.test.ts',
    asset_without_nodes: 'member/member-refusals-holdings.test.ts',
    account_ambiguous: { never: 'an account name is one employee’s in its enterprise' },
    enterprise_suffix_missing: { never: 'every enterprise has a code' },
    lending_failed: { never: 'a fault of the service is service_unavailable' },
  };
  const tried = Object.entries(TRIED).flatMap(([cause, file]) => (typeof file === 'string' ? [{ cause, file }] : []));

  it.each(tried)('$cause is brought about in $file', async ({ cause, file }) => {
    expect(await readFile(new URL(`../${file}`, import.meta.url), 'utf8')).toContain(`'${cause}'`);
  });

  it('holds no more than three that nothing can bring about: the interface has codes for them', () => {
    const never = Object.entries(TRIED).flatMap(([cause, by]) => (typeof by === 'string' ? [] : [cause]));
    expect(never.toSorted()).toEqual(['account_ambiguous', 'enterprise_suffix_missing', 'lending_failed']);
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

describe('docs/security.md', () => {
  const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

  it('says for each risk of the OWASP API Security Top 10 which tests hold it, and they are there', async () => {
    const rows = [...(await read('docs/security.md')).matchAll(/^\| API(\d+) .*\|(?<tests>[^|]+)\|$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const { groups } of rows) {
      const files = [...groups!.tests!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!);
      expect(files).not.toEqual([]);
      for (const file of files) expect(await read(file)).toContain("from 'vitest'");
    }
  });

  it('is right that no operation takes an address that the service could be made to call', async () => {
    const description = await (await fetch(`${stack.baseUrl}/openapi.json`)).text();
    expect(description).not.toMatch(/"format":"(uri|url|hostname|ipv4|ipv6)/);
  });
});
