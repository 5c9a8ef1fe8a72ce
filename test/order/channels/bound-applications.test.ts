import { randomUUID } from 'node:crypto';
import {
  type AuditEntry,
  type BatchPage,
  type Cause,
  type Customer,
  codeOf,
  type HoldingPage,
  ME_ROOT,
  ORDER_ROOT,
  type OrderPage,
} from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type Answer, type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../../harness/members/member-center.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy, type Sent } from '../../harness/orders/orders.ts';
import { numbersUnder, openAs, openTwoChannels } from '../../harness/orders/two-channels.ts';

/**
 * An application bound to the channel `ours` tries every operation with a batch, a customer, an asset and the results
 * of the channel `theirs`. For this application, they don't exist (rules 2).
 */
const { stack, bound, unbound, ours, theirs, kimId, elsewhere } = await openTwoChannels();

const THEIR_HOST = 'hooks.theirs.example';
const theirWebhook = { body: { url: `https://${THEIR_HOST}/` } };
const { webhookId: theirWebhookId }: { webhookId: string } = dataOf(
  await unbound.api.call('POST', '/webhooks', theirWebhook),
);

/** Returns names of another channel that appear in an answer but not in the request. */
function leaksIn(answer: Answer, sent: unknown): string[] {
  const { customer, numbers, ids, batch, licenseOrderId } = theirs;
  const { customerId, channelCustomerId } = customer;
  const named = { customerId, channelCustomerId, licenseOrderId, channelOrderId: batch.channelOrderId };
  const secrets = { ...named, ...ids, elsewhere, ofCrm: unbound.customer.customerId, webhook: THEIR_HOST };
  const [text, request] = [JSON.stringify(answer.body), JSON.stringify(sent)];
  const isWordOf = (where: string, word: string) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(where);
  return [...Object.values(secrets), ...Object.values(numbers)].filter(
    (secret) => isWordOf(text, secret) && !isWordOf(request, secret),
  );
}

/** A call by one of the two applications. */
interface Call {
  module: 'order' | 'member';
  method: string;
  path: string;
  query?: Record<string, string>;
  body?: unknown;
}

const send = ({ module, method, path, ...options }: Call, by: MemberCenter): Promise<Answer> => {
  if (module === 'member') return by.call(method, path, options);
  const query = { ...options.query, ...(path.includes('atchOrder') && { appKey: by.api.credentials.appKey }) };
  return by.api.call(method, path, { ...options, query });
};

/** A trial and its expected result: a refusal, or a check that the data shows nothing of theirs. */
type Trial = [what: string, call: Call, comesOut: Cause | ((data: unknown) => void)];

const get = (path: string, query: Record<string, string> = {}): Call => ({
  module: 'order',
  method: 'GET',
  path,
  query,
});
const post = (path: string, body: unknown): Call => ({ module: 'order', method: 'POST', path, body });
const ofWebhook = (method: string, operation: string, webhookId = theirWebhookId): Call => ({
  module: 'order',
  method: method.toUpperCase(),
  path: `/webhooks/${webhookId}${operation.replace('{deliveryId}', '1')}`,
  ...((operation === '/replay' || method === 'put') && { body: {} }),
});
const getMember = (path: string, query = {}): Call => ({ module: 'member', method: 'GET', path, query });
const postMember = (path: string, body: unknown): Call => ({ module: 'member', method: 'POST', path, body });

const BATCH = '/licenseOrder/batchOrder';
const syncBatch = (order: Sent, channelCode = 'ours') => ({ ...batchOf(order), syncMode: 'sync', channelCode });
const buy = (channelCode: string) => syncBatch(newBuy(ours.customer, [newAssetNum()]), channelCode);
const ofTheirBatch = (call: (key: { channelCode: string; channelOrderId: string }) => Call): Trial[] => {
  const { channelOrderId } = theirs.batch;
  return [
    ['their batch', call({ channelCode: 'theirs', channelOrderId }), 'channel_not_allowed'],
    ['their batch as one of ours', call({ channelCode: 'ours', channelOrderId }), 'batch_not_found'],
  ];
};
const ofCustomer = ({ channelCode, channelCustomerId }: Customer, defaultCustomer = 'N') => ({
  channelCode,
  channelCustomerId,
  defaultCustomer,
});
const crmCustomerId = unbound.customer.channelCustomerId;
const ofCrm = { crmCustomerId, customerName: 'Changed', branchName: 'Changed' };
const configure = (deleteAssets: string[], addAssets: string[]) =>
  postMember(`/enterprise/member/${kimId}/privileges`, { deleteAssets, addAssets });
const lend = (borrowedUsbKey: string, assetId: string) =>
  postMember(`/enterprise/member/${kimId}/borrow`, { borrowedUsbKey, assetIDs: [assetId] });
const enterprise = `/enterprise/${unbound.enterpriseId}`;
const PAGE = { pageNum: '1', pageSize: '500' };

/** Expects data that lists these asset numbers, in any order. */
const lists = (assetNums: string[]) => (data: unknown) => {
  const listed = (data as { assetNum: string }[]).map(({ assetNum }) => assetNum);
  expect(listed.toSorted()).toEqual(assetNums.toSorted());
};

const { channelCustomerId, enterpriseName } = theirs.customer;
const NAMES = { customerName: 'C', branchName: 'B', passwordMobile: '13800000000' };
const { usedLock, freeLock, ...otherAssets } = ours.numbers;
const ourAssets = Object.values(otherAssets);

/** Orders of our channel that name something of theirs, with the cause that each fails with. */
const ORDERS: [what: string, order: Sent, cause: Cause][] = [
  ['a purchase of their customer', newBuy(theirs.customer, [newAssetNum()]), 'customer_not_found'],
  ['their asset', deleteAsset(theirs.customer, [theirs.numbers.free]), 'customer_not_found'],
  ['their asset as one of ours', deleteAsset(ours.customer, [theirs.numbers.free]), 'asset_not_found'],
  ['a product of it', deleteProduct(ours.customer, [theirs.numbers.free]), 'asset_not_found'],
  [
    'its transfer to us',
    newBuy(ours.customer, [theirs.numbers.free], {}, { transferedAssetNum: true }),
    'asset_not_found',
  ],
  [
    'their purchase as source',
    newBuy(ours.customer, [newAssetNum()], { srcLicenseOrderId: theirs.licenseOrderId }),
    'source_order_not_found',
  ],
];

const EMPLOYEE = `${ME_ROOT}/enterprise/{enterpriseGlobalId}/member/{memberGlobalId}`;
const NAMES_NOTHING = 'names no channel, customer or asset';

const ofTheirCustomer = { customerId: theirs.customer.customerId, state: 'succeeded' };
const listsNoOrder = (data: unknown) => expect(data).toEqual({ orders: [], nextCursor: null });
function listsOurOrders(data: unknown): void {
  const { orders } = data as OrderPage;
  expect(orders.length).toBeGreaterThan(0);
  expect(new Set(orders.map(({ channelCode }) => channelCode))).toEqual(new Set(['ours']));
}

/** The trials of each operation. */
const TRIALS: Record<string, Trial[] | typeof NAMES_NOTHING> = {
  'post /oauth2/token': NAMES_NOTHING,
  [`post ${ORDER_ROOT}/enterprise/user/bind`]: [
    [
      'their customer',
      post('/enterprise/user/bind', { channelCode: 'theirs', channelCustomerId, enterpriseName, ...NAMES }),
      'channel_not_allowed',
    ],
  ],
  [`post ${ORDER_ROOT}/enterprise/user/create`]: [
    ['an enterprise with a crm customer', post('/enterprise/user/create', ofCrm), 'channel_not_allowed'],
  ],
  [`post ${ORDER_ROOT}/enterprise/user/update`]: [
    ['a customer of crm', post('/enterprise/user/update', ofCrm), 'channel_not_allowed'],
  ],
  [`get ${ORDER_ROOT}/enterprise/user/query`]: [
    ['their customer', get('/enterprise/user/query', ofCustomer(theirs.customer)), 'channel_not_allowed'],
    [
      'all customers of the enterprise',
      get('/enterprise/user/query', ofCustomer(ours.customer)),
      (data) => expect(data).toEqual([{ ...ours.customer, contact: expect.anything() }]),
    ],
    [
      'its default customer, who is of crm',
      get('/enterprise/user/query', ofCustomer(ours.customer, 'Y')),
      (data) => expect(data).toEqual([]),
    ],
  ],
  ...Object.fromEntries(
    ['lock', 'unlock', 'freeze', 'unfreeze'].map((operation): [string, Trial[]] => {
      const assetNums = [ours.numbers.usbKey, theirs.numbers.usbKey];
      const call = post(`/asset/${operation}`, { assetNums, operatorIdentity: 'Me' });
      // A lock cannot be frozen.
      const statuses = [{ status: operation.endsWith('lock') ? 1 : 4 }, { status: 2 }];
      const trial: Trial = ['their lock after one of ours', call, (data) => expect(data).toMatchObject(statuses)];
      return [`post ${ORDER_ROOT}/asset/${operation}`, [trial]];
    }),
  ),
  [`get ${ORDER_ROOT}/assets`]: [
    [
      'the enterprise',
      get('/assets', { enterpriseGlobalId: unbound.enterpriseId }),
      (data) => lists(Object.values(ours.numbers))((data as { assets: unknown }).assets),
    ],
  ],
  [`get ${ORDER_ROOT}/customers`]: [
    [
      'the enterprise',
      get('/customers', { enterpriseGlobalId: unbound.enterpriseId }),
      (data) => expect(data).toMatchObject({ customers: [{ customerId: ours.customer.customerId }] }),
    ],
  ],
  [`get ${ORDER_ROOT}/asset/{enterpriseGlobalId}/list`]: [
    ['the enterprise', get(`/asset/${unbound.enterpriseId}/list`), lists([ours.numbers.cloud])],
    [
      'a feature of theirs',
      get(`/asset/${unbound.enterpriseId}/list`, { extendCode: 'gxxp' }),
      lists([ours.numbers.cloud]),
    ],
  ],
  [`get ${ORDER_ROOT}/asset/{assetNum}`]: [['their asset', get(`/asset/${theirs.numbers.lent}`), 'asset_not_found']],
  [`get ${ORDER_ROOT}/asset/{assetNum}/history`]: [
    ['their asset', get(`/asset/${theirs.numbers.lent}/history`), 'asset_not_found'],
  ],
  [`post ${ORDER_ROOT}/shellnums`]: NAMES_NOTHING,
  [`post ${ORDER_ROOT}/licenseOrder/batchOrder`]: [
    ['a sync batch of their channel', post(BATCH, buy('theirs')), 'channel_not_allowed'],
    ['an async batch of their channel', post(BATCH, { ...buy('theirs'), syncMode: 'async' }), 'channel_not_allowed'],
    ['their batch resubmitted', post(BATCH, theirs.batch), 'channel_not_allowed'],
    ...ORDERS.map(([what, order, cause]): Trial => [what, post(BATCH, syncBatch(order)), cause]),
  ],
  [`post ${ORDER_ROOT}/licenseOrder/batchOrder/preview`]: [
    ['a batch of their channel', post(`${BATCH}/preview`, buy('theirs')), 'channel_not_allowed'],
    ...ORDERS.map(([what, order, cause]): Trial => {
      const check = (data: unknown) => expect(data).toMatchObject([{ state: 'failed', cause, nearest: [] }]);
      return [what, post(`${BATCH}/preview`, syncBatch(order)), check];
    }),
  ],
  [`post ${ORDER_ROOT}/licenseOrder/batchOrder/cancel`]: ofTheirBatch((key) => post(`${BATCH}/cancel`, key)),
  [`get ${ORDER_ROOT}/licenseOrder/batchOrder`]: ofTheirBatch((key) => get(BATCH, key)),
  [`get ${ORDER_ROOT}/licenseOrder/batchOrder/failed`]: ofTheirBatch((key) => get(`${BATCH}/failed`, key)),
  [`get ${ORDER_ROOT}/licenseOrder/{licenseOrderId}`]: [
    ['their order', get(`/licenseOrder/${theirs.licenseOrderId}`), 'order_not_found'],
  ],
  [`get ${ORDER_ROOT}/events`]: [
    [
      'the event of their batch',
      get('/events'),
      (data) => {
        const { channelCode, channelOrderId } = ours.batch;
        expect(data).toMatchObject({ events: [{ data: { channelCode, channelOrderId } }], hasMore: false });
      },
    ],
  ],
  [`get ${ORDER_ROOT}/refusals`]: NAMES_NOTHING,
  [`get ${ORDER_ROOT}/licenseOrder/batchOrders`]: [
    ['batches of their channel', get('/licenseOrder/batchOrders', { channelCode: 'theirs' }), 'channel_not_allowed'],
    [
      'all batches',
      get('/licenseOrder/batchOrders'),
      (data) => {
        const { batches } = data as BatchPage;
        expect(batches.length).toBeGreaterThan(0);
        expect(new Set(batches.map(({ channelCode }) => channelCode))).toEqual(new Set(['ours']));
      },
    ],
  ],
  [`get ${ORDER_ROOT}/licenseOrder/orders`]: [
    ['orders of their channel', get('/licenseOrder/orders', { channelCode: 'theirs' }), 'channel_not_allowed'],
    ['all orders', get('/licenseOrder/orders'), listsOurOrders],
    ['orders of their customer', get('/licenseOrder/orders', ofTheirCustomer), listsNoOrder],
    ['orders of their asset', get('/licenseOrder/orders', { assetNum: theirs.numbers.held }), listsNoOrder],
  ],
  [`post ${ORDER_ROOT}/webhooks`]: NAMES_NOTHING,
  [`get ${ORDER_ROOT}/webhooks`]: [
    ['their webhooks', get('/webhooks'), (data) => expect(data).toEqual({ webhooks: [] })],
  ],
  ...Object.fromEntries(
    [
      ...['get', 'delete', 'put', 'post /rotateSecret', 'post /test', 'post /enable', 'post /replay', 'post /pause'],
      ...['post /resume', 'get /deliveries', 'post /deliveries/{deliveryId}/resend'],
    ].map((each): [string, Trial[]] => {
      const [method = '', operation = ''] = each.split(' ');
      const trials: Trial[] = [
        ['their webhook', ofWebhook(method, operation), 'webhook_not_found'],
        ['an unknown webhook', ofWebhook(method, operation, '9'.repeat(19)), 'webhook_not_found'],
        ['an impossible webhook', ofWebhook(method, operation, '12345678901234567890'), 'field_invalid'],
      ];
      return [`${method} ${ORDER_ROOT}/webhooks/{webhookId}${operation}`, trials];
    }),
  ),
  [`post ${ME_ROOT}/enterprise/{enterpriseGlobalId}/member`]: NAMES_NOTHING,
  [`put ${EMPLOYEE}`]: NAMES_NOTHING,
  [`put ${EMPLOYEE}/resetPassword`]: NAMES_NOTHING,
  [`delete ${EMPLOYEE}`]: NAMES_NOTHING,
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/members`]: [
    [
      'a holder of their asset',
      getMember(`${enterprise}/members`, { ...PAGE, keyword: 'kim' }),
      (data) => {
        const { held, lent, usedLock } = ours.numbers;
        expect(data).toMatchObject({ list: [{ assetNums: [held, lent], borrowNum: usedLock }] });
      },
    ],
  ],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/asset/assetNums`]: [
    ['the enterprise', getMember(`${enterprise}/asset/assetNums`), lists(ourAssets)],
  ],
  [`get ${ME_ROOT}/enterprise/asset/{assetId}/merchandiseProducts`]: (['held', 'lent', 'usedLock'] as const).map(
    (which): Trial => [
      `their asset: ${which}`,
      getMember(`/enterprise/asset/${theirs.ids[which]}/merchandiseProducts`),
      'asset_id_not_found',
    ],
  ),
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/asset/borrowUsbKeys`]: [
    ['the enterprise', getMember(`${enterprise}/asset/borrowUsbKeys`), lists([usedLock, freeLock])],
  ],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/holdings`]: [
    [
      'all of the enterprise',
      getMember(`${enterprise}/holdings`),
      (data) => {
        const { held, lent, usedLock } = ours.numbers;
        const holdings = (data as HoldingPage).holdings.map(({ assetNum, lockAssetNum }) => [assetNum, lockAssetNum]);
        expect(holdings.toSorted()).toEqual(
          [
            [held, null],
            [lent, null],
            [lent, usedLock],
          ].toSorted(),
        );
      },
    ],
    [
      'their asset',
      getMember(`${enterprise}/holdings`, { assetNum: theirs.numbers.lent }),
      (data) => expect(data).toEqual({ holdings: [], nextCursor: null }),
    ],
  ],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/seats`]: NAMES_NOTHING,
  [`post ${ME_ROOT}/enterprise/{enterpriseGlobalId}/privileges`]: [
    [
      'their asset of another enterprise',
      postMember(`${enterprise}/privileges`, {
        privileges: [{ memberGlobalId: kimId, deleteAssets: [], addAssets: [elsewhere] }],
      }),
      'asset_number_not_found',
    ],
  ],
  [`post ${ME_ROOT}/enterprise/member/{memberGlobalId}/privileges`]: [
    ['their asset, assigned', configure([], [theirs.numbers.free]), 'asset_number_not_found'],
    ['their asset of another enterprise', configure([], [elsewhere]), 'asset_number_not_found'],
    ['their asset, withdrawn', configure([theirs.numbers.held], []), 'asset_not_withdrawable'],
    ['their asset after one of ours', configure([ours.numbers.held], [theirs.numbers.free]), 'asset_number_not_found'],
  ],
  [`post ${ME_ROOT}/enterprise/member/{memberGlobalId}/borrow`]: [
    ['their asset', lend(ours.numbers.freeLock, theirs.ids.held), 'asset_not_held'],
    ['their lock', lend(theirs.numbers.freeLock, ours.ids.held), 'borrowed_lock_unusable'],
  ],
  [`get ${ME_ROOT}/enterprise/{enterpriseGlobalId}/audit`]: [
    [
      'an entry about their asset',
      getMember(`${enterprise}/audit`, PAGE),
      (data) => {
        const entries = (data as { list: AuditEntry[] }).list.filter(({ action }) => action === 'assets_configured');
        const { held, lent } = ours.numbers;
        const given = entries.map(({ detail }) => detail.after?.assetNums);
        expect(given).toEqual([[], [held, lent]]);
      },
    ],
  ],
};

it('every operation is tried', async () => {
  const response = await fetch(`${stack.baseUrl}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(Object.keys(TRIALS).toSorted()).toEqual(operations.toSorted());
});

const ALL = Object.entries(TRIALS).flatMap(([operation, trials]) =>
  trials === NAMES_NOTHING ? [] : trials.map((trial) => [operation, ...trial] as const),
);

/** O6 disables our lock, so that O7 has something to change. */
const CHANGES = [`post ${ORDER_ROOT}/asset/lock`, `post ${ORDER_ROOT}/asset/unlock`];

it.each(ALL)('%s with %s: shows nothing and changes nothing', async (operation, _what, call, comesOut) => {
  const before = await contentOfTables(stack.db);
  const answer = await send(call, bound);
  if (typeof comesOut === 'string') {
    expect(refusalOf(answer)).toMatchObject({ code: codeOf(comesOut, 'order'), cause: comesOut });
  } else {
    comesOut(dataOf(answer));
  }
  expect(leaksIn(answer, call)).toEqual([]);
  if (!CHANGES.includes(operation)) expect(await contentOfTables(stack.db)).toEqual(before);
});

const lookups = ALL.filter(([operation, , , comesOut]) => operation.startsWith('get ') && typeof comesOut !== 'string');

it.each(lookups)(
  '%s with %s: an application that is not bound sees the other channel',
  async (_operation, _what, call) => {
    expect(leaksIn(await send(call, unbound), call)).not.toEqual([]);
  },
);

describe('an application that is bound', () => {
  it('counts the seats of its channels only', async () => {
    const count = async (by: MemberCenter) => dataOf(await by.ask('getSeats', {})).total.owned;
    expect([await count(bound), await count(unbound)]).toEqual([5, 10]);
  });

  const enterpriseBody = () => ({ crmCustomerId: randomUUID(), customerName: randomUUID(), branchName: 'Branch' });
  const create = (api: Api, body: unknown) => api.call('POST', '/enterprise/user/create', { body });
  const update = (api: Api, body: unknown) => api.call('POST', '/enterprise/user/update', { body });

  it('can do everything in each of its channels', async () => {
    const { api } = bound;
    const enterpriseName = `Of ${randomUUID()}`;
    for (const channelCode of ['ours', ' ours too ']) {
      const body = { channelCode, channelCustomerId: 'first', enterpriseName, ...NAMES };
      const customer = dataOf(await api.call('POST', '/enterprise/user/bind', { body }));
      expect(dataOf(await api.call('POST', '/enterprise/user/bind', { body }))).toEqual(customer);
      const batch = { ...batchOf(newBuy(customer, [newAssetNum()])), channelCode };
      expect(await api.preview(batch)).toMatchObject([{ state: 'succeeded' }]);
      await api.accept(batch);
      expect(await api.completed(batch)).toMatchObject({ channelCode: channelCode.trim(), succeeded: 1 });
      expect(await api.cancel(batch)).toEqual({ cancelled: 0, finished: 1 });
    }
  });

  it('needs crm and industry for O2, which creates customers of both, and crm for O4', async () => {
    const scopes = ['auth_order' as const];
    const [crm, both] = await Promise.all([stack.newApi(scopes, ['crm']), stack.newApi(scopes, ['crm', 'industry'])]);
    const body = enterpriseBody();
    const before = await contentOfTables(stack.db);
    expect(refusalOf(await create(crm, body))).toMatchObject({ code: '13004', cause: 'channel_not_allowed' });
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(dataOf(await create(both, body))).toMatchObject({ members: [{}, {}] });
    expect((await update(crm, { ...body, customerName: 'Changed' })).body.code).toBe(0);
    expect(refusalOf(await update(crm, enterpriseBody()))).toMatchObject({ cause: 'customer_not_found' });
  });

  it('cannot buy a number in use at another channel, and learns nothing else of it', async () => {
    const answer = await bound.api.submit(syncBatch(newBuy(ours.customer, [theirs.numbers.free])));
    expect(refusalOf(answer).cause).toBe('asset_owned_by_other_customer');
    expect(leaksIn(answer, theirs.numbers.free)).toEqual([]);
  });

  it('sees only its own part of a loan between channels', async () => {
    dataOf(await unbound.lend(kimId, ours.numbers.freeLock, [theirs.ids.held]));
    dataOf(await unbound.lend(kimId, theirs.numbers.freeLock, [ours.ids.held]));
    expect(numbersUnder(await unbound.contents(ours.ids.freeLock))).toContain(theirs.numbers.held);
    expect(numbersUnder(await bound.contents(ours.ids.freeLock))).toEqual(new Set([ours.numbers.freeLock]));
    // Asks for the contents of their lock, which doesn't exist for this application.
    expect(numbersUnder(await bound.contents(ours.ids.held))).toEqual(new Set());
    const { held, lent, usedLock } = ours.numbers;
    expect(await bound.listed(kimId)).toMatchObject({ assetNums: [held, lent], borrowNum: usedLock });
    const across = (await bound.audit()).find(({ action }) => action === 'assets_lent')!;
    expect(across.detail).toEqual({ before: { lent: [] }, after: { lent: [] } });
  });

  it('adds employees up to the enterprise’s limit, and deletes one with all assigned assets', async () => {
    // The channel `theirs` alone has this cloud license. Without it, the application could add only five employees.
    const center = await MemberCenter.open(stack, unbound.api);
    const boundCenter = await openAs(center, bound.api);
    const [cloud] = await center.buy(1, { licenseType: 'cloud_customer' });
    expect(await boundCenter.assets()).toEqual([]);
    const added = await boundCenter.add(...Array.from({ length: 6 }, () => newEmployee()));
    const leaving = added[0]!.globalId;
    await center.assign(leaving, cloud!.assetNum);
    dataOf(await boundCenter.delete(leaving));
    expect(await center.assets()).toMatchObject([{ assetNum: cloud!.assetNum, cloudAccountGlobalId: null }]);
    const [deletion] = await center.audit();
    expect(deletion!.detail.before).toMatchObject({ assetNums: [cloud!.assetNum] });
    const withoutNumbers = { ...deletion!.detail, before: { ...deletion!.detail.before, assetNums: [] } };
    expect((await boundCenter.audit())[0]).toEqual({ ...deletion, detail: withoutNumbers });

    // The number isn't the application's after the asset is revoked, either.
    const query = stack.db.selectFrom('asset_grant').select('license_order_id').where('asset_id', '=', cloud!.assetId);
    const { license_order_id: srcLicenseOrderId } = await query.executeTakeFirstOrThrow();
    const revocation = { licenseType: 'cloud_customer', srcLicenseOrderId };
    await center.api.carryOut(deleteAsset(center.customer, [cloud!.assetNum], revocation));
    expect((await boundCenter.audit())[0]).toEqual({ ...deletion, detail: withoutNumbers });
  });
});
