import { readFile } from 'node:fs/promises';
import { PasswordHasher } from '@lockstep/access';
import { type Customer, ME_ROOT, ORDER_ROOT, operations } from '@lockstep/contract';
import { answerKey, examples, parameterExamples } from '@lockstep/contract/examples';
import { createDemoCustomers, DEMO_ENTERPRISES } from '@lockstep/customers';
import { setPassword } from '@lockstep/members';
import { FAULTS } from '@lockstep/webhooks/testing';
import { describe, expect, it } from 'vitest';
import { type Answer, untilServed } from '../harness/api.ts';
import { type MemberCallOptions, MemberCenter } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { buildPublishedCheck } from '../harness/processes/published.ts';
import { testStack } from '../harness/stack.ts';

/**
 * The examples in /openapi.json match their schemas, and the service gives the same answers with the demo customers.
 * `vitest run -u` writes the answers into the file.
 */
// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

const OPERATIONS = Object.entries(examples);
const ANSWERS = '../../packages/contract/src/examples/answers.json';
const OF_THE_MODULES = OPERATIONS.filter(([operationId]) => operationId !== 'issueToken');

const { stack, api } = await testStack();
await createDemoCustomers(stack.db);
const center = await openDemoCenter();
const document: Json = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();

/** Opens the member center of the first demo enterprise. Its administrator gets a password as `npm start` sets it. */
async function openDemoCenter(): Promise<MemberCenter> {
  const [{ id: enterpriseGlobalId, memberIds, customers }] = DEMO_ENTERPRISES;
  const members = memberIds.map((memberGlobalId) => ({ memberGlobalId, memberIdentity: '' }));
  const login = (await setPassword({ db: stack.db, passwords: new PasswordHasher() }, memberIds[0]))!;
  const { body } = await askUserToken(stack.baseUrl, api.credentials, login);
  const customer = { customerId: customers[0].id } as Customer;
  const created = { enterpriseGlobalId, defaultType: true as const, members };
  return new MemberCenter(api, created, customer, { ...login, userToken: body.access_token });
}

const published = () =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
  );

function find(operationId: string): { path: string; method: string; operation: Json } {
  const found = published().find(({ operation }) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`No operation ${operationId} is published`);
  return found;
}

/** Parses recorded answers without their messages. */
function withoutWords(text: string): Json {
  const words = ['message', 'error_description'];
  return JSON.parse(text, (key, value: unknown) => (words.includes(key) && value !== null ? '' : value));
}

const checkOf = (schema: Json) => buildPublishedCheck(document, schema);
/** Answers must have the published fields only, although clients must expect more in later releases. */
const answerCheck = (operationId: string, status: number) =>
  buildPublishedCheck(document, mediaOf(resolve(find(operationId).operation.responses[status])).schema, {
    isClosed: true,
  });
const resolve = (described: Json): Json =>
  document.components.responses[described.$ref?.split('/').at(-1)] ?? described;

/** Returns the content of a body or an answer, which has one content type. */
const mediaOf = ({ content }: Json): Json => Object.values(content)[0];

/** Checks every example against the schema beside it. Returns the examples' names. */
function checkExamples(described: Json): string[] {
  const { schema, examples: named = {} } = mediaOf(described);
  for (const { summary, value } of Object.values<Json>(named)) {
    // The message of a 200 answer is no summary.
    expect(summary).toMatch(/^(?!success$)./);
    expect(checkOf(schema).safeParse(value).error).toBeUndefined();
  }
  return Object.keys(named);
}

describe('in /openapi.json', () => {
  it('every operation has examples, and every example an operation', () => {
    const operationIds = published().map(({ operation }) => operation.operationId);
    expect(Object.keys(examples).toSorted()).toEqual(operationIds.toSorted());
  });

  it.each(OPERATIONS)('%s: its body, its answers and a refusal', (operationId, { bodies = {}, answers }) => {
    const { requestBody, responses } = find(operationId).operation;
    expect(requestBody === undefined ? [] : checkExamples(requestBody)).toEqual(Object.keys(bodies));
    expect(Object.keys(bodies).length > 0).toBe(requestBody !== undefined);
    for (const [status, answer] of Object.entries<Json>(responses).filter(([, { $ref }]) => $ref === undefined)) {
      const names = checkExamples(answer);
      expect(names).not.toEqual([]);
      expect(names).toEqual(Object.keys(answers[status] ?? {}));
    }
    expect(Object.keys(answers[200] ?? {})).toEqual(expect.arrayContaining(Object.keys(bodies)));
  });

  it('O5 shows each order type, the sync mode and a borrowed lock', () => {
    const names = ['new_buy', 'delete_asset', 'delete_product', 'sync', 'borrowed_lock'];
    expect(checkExamples(find('createBatchOrder').operation.requestBody)).toEqual(names);
  });

  it.each(OF_THE_MODULES)('%s: every required parameter, with the same example everywhere', (operationId) => {
    for (const { name, required, schema, example } of find(operationId).operation.parameters) {
      expect(example).toBe(parameterExamples[name]);
      if (required) expect(example).toBeDefined();
      if (example !== undefined) expect(checkOf(schema).safeParse(example).error).toBeUndefined();
    }
  });

  it('has no example of an unknown parameter', () => {
    const names = published().flatMap(({ operation }) => (operation.parameters ?? []).map(({ name }: Json) => name));
    expect(names).toEqual(expect.arrayContaining(Object.keys(parameterExamples)));
  });
});

interface Changes {
  body?: unknown;
  parameters?: Record<string, string | number>;
  options?: MemberCallOptions;
}

/** Calls an operation with its published parameters, except the given ones. */
function call(operationId: string, { body, parameters = {}, options = {} }: Changes = {}, by = api): Promise<Answer> {
  const { path, method, operation } = find(operationId);
  const isOfMembers = path.startsWith(ME_ROOT);
  const given: Record<string, string> = { appKey: by.credentials.appKey, ...parameters };
  const query: Record<string, string> = {};
  let filledIn = path.slice((isOfMembers ? ME_ROOT : ORDER_ROOT).length);
  for (const { name, in: place, example } of operation.parameters) {
    const value = given[name] ?? example;
    if (name === 'g_nonce' || value === undefined) continue;
    if (place === 'path') filledIn = filledIn.replace(`{${name}}`, value);
    else query[name] = String(value);
  }
  return (isOfMembers ? center : by).call(method.toUpperCase(), filledIn, { query, body, ...options });
}

const bodyOf = (operationId: string, name: string): Json => examples[operationId]!.bodies![name]!.value;

const TIMES = [
  ...['createdTime', 'pausedTime', 'beganTime', 'updatedTime', 'nextAttemptTime', 'acceptedTime'],
  ...['completedTime', 'finishedTime', 'createTime', 'updateTime', 'since', 'time'],
];
/** The examples' values of fields that differ from run to run. */
const STEADY: Record<string, unknown> = {
  ...Object.fromEntries(TIMES.map((name) => [name, 1_790_000_000_000])),
  secret: 'whsec_TG9ja3N0ZXAgZXhhbXBsZSBzZWNyZXQgbnVtYmVyIDE=',
  access_token: 'S7Jx0c5yT1uJqkW3nVdP9mZ2hR8fLbA4eGoKiYwXs6Q',
  fault: FAULTS.UNREACHABLE,
  durationMs: 18,
};

function steady(body: Json): Json {
  return JSON.parse(
    JSON.stringify(body, (key, value) => {
      if (value === null) return null;
      if (key === 'memberIdentity') return value.replace(/@[a-z0-9]{8}$/, '@k7m2p9qx');
      if (key === 'requestId') return value.replace(/[0-9a-f-]{36}$/, '0b6f1f0e-8a4e-4c55-9f0e-2d3b7c1a9e64');
      return STEADY[key] ?? value;
    }),
  );
}

/** The recorded answers, by their keys in the file. */
const recorded = new Map<string, Json>();

/** Checks an answer against the published schema, and records it as an example. */
function record(operationId: string, { status, body }: Pick<Answer, 'status' | 'body'>, name: string): void {
  expect(answerCheck(operationId, status).safeParse(body).error).toBeUndefined();
  recorded.set(answerKey(operationId, status, name), steady(body));
}

describe('on a service with the demo customers', () => {
  /** Lists that answer whole without these parameters. */
  const WHOLE = { parameters: { pageNum: '', pageSize: '' } };
  /** Calls in the order in which a reader would try them, with the name of the example. */
  const STORY: [operationId: string, name: string, changes?: Changes][] = [
    ['bindCustomer', 'depot'],
    ['createEnterprise', 'bridge_works'],
    ['queryCustomers', 'all'],
    ['updateCustomer', 'bridge_works'],
    ['previewBatchOrder', 'new_buy'],
    ['createBatchOrder', 'new_buy'],
    ['getBatchResult', 'new_buy'],
    ['getOrderResult', 'new_buy'],
    ['getEvents', 'new_buy'],
    ['listBatches', 'new_buy'],
    ['listOrders', 'new_buy'],
    ['previewBatchOrder', 'no_match'],
    ['createBatchOrder', 'delete_asset'],
    ['createBatchOrder', 'delete_product'],
    ['createBatchOrder', 'sync'],
    ['createBatchOrder', 'borrowed_lock'],
    ['lockAssets', 'locks'],
    ['unlockAssets', 'locks'],
    ['freezeAssets', 'locks'],
    ['unfreezeAssets', 'locks'],
    ['listVirtualAssets', 'sync', WHOLE],
    ['takeAssetNumbers', 'three'],
    ['cancelBatchOrder', 'new_buy'],
    ['getFailedOrders', 'new_buy'],
    ['addEmployees', 'team'],
    ['addEmployees', 'partly'],
    ['editEmployee', 'seat'],
    ['editEmployee', 'no_remark'],
    ['resetPassword', 'new_password'],
    ['readAssetContents', 'lock'],
    ['configureAssets', 'assign'],
    ['configureAssets', 'withdraw'],
    ['configureEmployees', 'partly'],
    ['configureEmployees', 'withdraw'],
    ['lendAssets', 'lock'],
    ['listEmployees', 'seat'],
    ['listEnterpriseAssets', 'two', WHOLE],
    ['listBorrowedLocks', 'lent', WHOLE],
    ['getSeats', 'two'],
    ['listHoldings', 'lock'],
    ['listAssets', 'office'],
    ['listCustomers', 'works'],
    ['getAsset', 'lock'],
    ['getAssetHistory', 'lock'],
    ['deleteEmployee', 'deleted'],
    ['readAudit', 'all'],
    ['createWebhook', 'hook'],
    ['listWebhooks', 'one'],
    ['getWebhook', 'active'],
    ['rotateWebhookSecret', 'rotated'],
    ['enableWebhook', 'active'],
    ['testWebhook', 'pending'],
    ['listDeliveries', 'failed'],
    ['resendDelivery', 'pending'],
    ['updateWebhook', 'filters'],
    ['pauseWebhook', 'paused'],
    ['resumeWebhook', 'active'],
    ['replayWebhook', 'behind'],
    ['deleteWebhook', 'deleted'],
  ];

  it.each(STORY)('%s %s is answered', async (operationId, name, changes = {}) => {
    const bodies = examples[operationId]?.bodies;
    const answer = await untilServed(() =>
      call(operationId, { ...(bodies && { body: bodies[name]?.value }), ...changes }),
    );
    expect(answer, JSON.stringify([answer.body, stack.logLines.slice(-9)])).toMatchObject({ status: 200 });
    record(operationId, answer, name);
    // The batch must take effect before the next step.
    if (operationId === 'createBatchOrder') {
      expect(await api.completed(bodyOf(operationId, name))).toMatchObject({ failed: 0, succeeded: 1 });
    }
    // The test message must have been attempted. It fails, because the host doesn't exist.
    if (operationId === 'testWebhook') {
      const readState = async () => (await call('listDeliveries')).body.data.deliveries[0].state;
      await expect.poll(readState).toBe('failed');
    }
  });

  it('a batch is cancelled before a worker applies it', async () => {
    const { stack: idle } = await testStack({ worker: false });
    await createDemoCustomers(idle.db);
    const idleApi = await idle.newApi();
    await idleApi.accept(bodyOf('createBatchOrder', 'new_buy'));
    const answer = await call('cancelBatchOrder', { body: bodyOf('cancelBatchOrder', 'new_buy') }, idleApi);
    record('cancelBatchOrder', answer, 'pending');
  });

  it('getFailedOrders no_match is answered until the contents are deleted', async () => {
    const batch = bodyOf('previewBatchOrder', 'no_match');
    expect(await api.process(batch)).toMatchObject([{ cause: 'product_not_found' }]);
    const { channelOrderId } = batch;
    const answer = await call('getFailedOrders', { parameters: { channelOrderId } });
    expect(answer).toMatchObject({ status: 200, body: { data: { orderList: batch.orderList } } });
    record('getFailedOrders', answer, 'no_match');
    await stack.db.deleteFrom('failed_order').execute();
  });

  it('listRefusals lock is answered', async () => {
    const fresh = await stack.newApi();
    await fresh.call('POST', '/asset/lock', { body: withoutOperator });
    const list = () => call('listRefusals', {}, fresh);
    await expect.poll(async () => (await list()).body.data.refusals.length).toBe(1);
    record('listRefusals', await list(), 'lock');
  });

  const batch = bodyOf('createBatchOrder', 'new_buy');
  const [order] = batch.orderList;
  const { operatorIdentity: _, ...withoutOperator } = bodyOf('lockAssets', 'locks');
  const cancelled = bodyOf('cancelBatchOrder', 'new_buy');
  const [kim] = bodyOf('addEmployees', 'team').userList;
  const [lock] = bodyOf('configureAssets', 'assign').addAssets;
  // By now, the employee of the examples has been deleted.
  const ofAdministrator = { parameters: { memberGlobalId: DEMO_ENTERPRISES[0].memberIds[0] } };

  /** The calls that cause each refusal, after the calls above. */
  const REFUSALS: [operationId: string, cause: string, changes: Changes][] = [
    [
      'bindCustomer',
      'enterprise_mobile_mismatch',
      { body: { ...bodyOf('bindCustomer', 'depot'), passwordMobile: '13900000000' } },
    ],
    [
      'createEnterprise',
      'enterprise_name_taken',
      { body: { ...bodyOf('createEnterprise', 'bridge_works'), crmCustomerId: 'CRM-88051' } },
    ],
    ['queryCustomers', 'field_invalid', { parameters: { defaultCustomer: 'X' } }],
    [
      'updateCustomer',
      'customer_not_found',
      { body: { ...bodyOf('updateCustomer', 'bridge_works'), crmCustomerId: 'CRM-88051' } },
    ],
    [
      'createBatchOrder',
      'channel_order_id_conflict',
      { body: { ...batch, orderList: [{ ...order, address: 'Elsewhere' }] } },
    ],
    [
      'createBatchOrder',
      'field_invalid',
      { body: { ...batch, orderList: [{ ...order, assets: [{ ...order.assets[0], assetNos: [] }] }] } },
    ],
    ['lockAssets', 'field_missing', { body: withoutOperator }],
    ['unlockAssets', 'token_invalid', { body: withoutOperator, options: { token: 'expired' } }],
    ['freezeAssets', 'field_missing', { body: withoutOperator }],
    ['unfreezeAssets', 'token_invalid', { body: withoutOperator, options: { token: 'expired' } }],
    ['listVirtualAssets', 'enterprise_not_found', { parameters: { enterpriseGlobalId: '404' } }],
    ['takeAssetNumbers', 'field_invalid', { body: { size: 0 } }],
    ['getBatchResult', 'batch_not_found', { parameters: { channelOrderId: 'DOCS-0404' } }],
    ['getOrderResult', 'order_not_found', { parameters: { licenseOrderId: '404' } }],
    ['getEvents', 'field_invalid', { parameters: { after: 'x' } }],
    ['listBatches', 'field_invalid', { parameters: { cursor: 'cut' } }],
    ['listOrders', 'dates_reversed', { parameters: { acceptedFrom: 1798761600000, acceptedTo: 1798761599000 } }],
    ['listRefusals', 'field_invalid', { parameters: { cursor: 'of-another-list' } }],
    ['listAssets', 'dates_reversed', { parameters: { expiresFrom: 1798761600000, expiresTo: 1798761599000 } }],
    ['listCustomers', 'field_invalid', { parameters: { cursor: 'of-another-list' } }],
    ['getAsset', 'asset_not_found', { parameters: { assetNum: '8100000404' } }],
    ['getAssetHistory', 'field_invalid', { parameters: { cursor: 'of-another-list' } }],
    ['previewBatchOrder', 'app_key_mismatch', { body: batch, parameters: { appKey: 'another' } }],
    ['cancelBatchOrder', 'batch_not_found', { body: { ...cancelled, channelOrderId: 'DOCS-0404' } }],
    ['getFailedOrders', 'batch_not_found', { parameters: { channelOrderId: 'DOCS-0404' } }],
    ['getFailedOrders', 'content_expired', { parameters: { channelOrderId: 'DOCS-0006' } }],
    ['addEmployees', 'employee_list_empty', { body: { userList: [] } }],
    ['addEmployees', 'account_taken', { body: { userList: [kim] } }],
    ['editEmployee', 'account_mismatch', { body: bodyOf('editEmployee', 'seat'), ...ofAdministrator }],
    ['resetPassword', 'password_length', { body: { password: 'short' } }],
    ['deleteEmployee', 'last_administrator', ofAdministrator],
    ['listEmployees', 'field_invalid', { parameters: { pageSize: '501' } }],
    ['readAudit', 'not_administrator', { parameters: { enterpriseGlobalId: '1002' } }],
    ['listHoldings', 'field_invalid', { parameters: { state: 'open' } }],
    ['getSeats', 'not_administrator', { parameters: { enterpriseGlobalId: '1002' } }],
    ['listEnterpriseAssets', 'user_token_invalid', { options: { userToken: 'ended' } }],
    ['readAssetContents', 'asset_id_not_found', { parameters: { assetId: '404' } }],
    ['listBorrowedLocks', 'client_token_missing', { options: { clientToken: null } }],
    [
      'configureAssets',
      'asset_configured_twice',
      { body: { deleteAssets: [], addAssets: [lock, lock] }, ...ofAdministrator },
    ],
    ['configureEmployees', 'field_invalid', { body: { privileges: [] } }],
    [
      'configureEmployees',
      'asset_not_withdrawable',
      {
        body: {
          privileges: [{ memberGlobalId: DEMO_ENTERPRISES[0].memberIds[0], deleteAssets: [lock], addAssets: [] }],
        },
      },
    ],
    [
      'createWebhook',
      'webhook_address_forbidden',
      { body: { ...bodyOf('createWebhook', 'hook'), url: 'https://10.0.0.5/hook' } },
    ],
    ['listWebhooks', 'token_invalid', { options: { token: 'expired' } }],
    ...[
      ...['getWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'testWebhook', 'enableWebhook', 'pauseWebhook'],
      ...['resumeWebhook', 'resendDelivery'],
    ].map((id): [string, string, Changes] => [id, 'webhook_not_found', { parameters: { webhookId: '404' } }]),
    ['updateWebhook', 'field_invalid', { body: { types: ['batch.ended'] } }],
    ['replayWebhook', 'field_invalid', { body: { after: 'first' } }],
    ['listDeliveries', 'field_invalid', { parameters: { cursor: 'another' } }],
    ['lendAssets', 'asset_not_held', { body: bodyOf('lendAssets', 'lock'), ...ofAdministrator }],
  ];

  it.each(REFUSALS)('%s is refused with %s', async (operationId, cause, changes) => {
    const answer = await call(operationId, changes);
    expect(answer).toMatchObject({ status: 299, body: { cause } });
    record(operationId, answer, cause);
    expect(answerCheck(operationId, 200).safeParse(answer.body).success).toBe(false);
  });

  it.each<[status: number, name: string, body: string, changes: () => Record<string, string>]>([
    [200, 'client_credentials', 'client_credentials', () => ({})],
    [200, 'password', 'password', () => ({ password: center.password })],
    [400, 'invalid_grant', 'password', () => ({ password: 'wrong' })],
    [400, 'invalid_scope', 'client_credentials', () => ({ scope: 'auth_everything' })],
    [401, 'invalid_client', 'client_credentials', () => ({ client_secret: 'wrong' })],
  ])('the token endpoint answers %i %s', async (status, name, body, changes) => {
    const { appKey: client_id, appSecret: client_secret } = api.credentials;
    const form = { ...bodyOf('issueToken', body), client_id, client_secret, ...changes() };
    const response = await fetch(stack.baseUrl + operations.issueToken.path, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect(response.status).toBe(status);
    const answered: Json = await response.json();
    if (status === 200) expect(answered.access_token).toMatch(/^[\w-]{43}$/);
    record('issueToken', { status, body: answered }, name);
  });

  it('the recorded answers are exactly the examples', async () => {
    // The test can't cause a fault in the service.
    const description = 'The service is unavailable. Retry later.';
    const fault = { error: 'temporarily_unavailable', error_description: description };
    recorded.set(answerKey('issueToken', 503, 'temporarily_unavailable'), fault);
    const placeOf = (key: string) => {
      const [id, status] = key.split(' ') as [string, string];
      return Object.keys(examples).indexOf(id) * 1000 + Number(status);
    };
    const lines = [...recorded]
      .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
      .map(([key, body]) => `${JSON.stringify(key)}: ${JSON.stringify(body)}`);
    const text = `{\n${lines.join(',\n')}\n}\n`;
    // With -u, records the answers. Otherwise compares them without their messages.
    const isRecording =
      (expect.getState().snapshotState as unknown as { _updateSnapshot: string })._updateSnapshot === 'all';
    if (isRecording) await expect(text).toMatchFileSnapshot(ANSWERS);
    expect(withoutWords(text)).toEqual(withoutWords(await readFile(new URL(ANSWERS, import.meta.url), 'utf8')));
  });
});
