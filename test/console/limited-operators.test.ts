import { randomUUID } from 'node:crypto';
import { splitOrderId } from '@lockstep/assets';
import type { Customer } from '@lockstep/contract';
import { type ConsoleOperationId, consoleOperations } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { openTwoChannels } from '../harness/orders/two-channels.ts';

/**
 * An operator who is limited to the channel `ours` tries every operation of the console with things of `ours` and of
 * the channel `theirs`, which don't exist for this operator (rules 9 Channels of operators).
 */
const two = await openTwoChannels();
const { stack, bound, unbound } = two;
const shared = unbound.enterpriseId;

const admin = await ConsoleClient.logIn(stack, 'admin');
const limited = await ConsoleClient.logIn(stack, 'support');
await bound.api.newCustomer(undefined, 'ours too');
const limit = (name: string, channels: string[] | null) =>
  admin.send('setOperatorChannels', { params: { name }, body: { channels } });
await limit(limited.login.name, ['ours', 'ours too']);

/** What there is of a channel. */
type Side = Awaited<ReturnType<typeof furnish>>;
const ours = await furnish('ours', bound.api);
const theirs = await furnish('theirs', unbound.api);

async function furnish(code: 'ours' | 'theirs', api: Api) {
  const { customer, numbers, licenseOrderId, batch } = two[code];
  const submit = async (...orders: Sent[]) => {
    const sent = { ...batchOf(...orders), channelCode: code };
    const [accepted] = await api.accept(sent);
    const { batchId } = splitOrderId(accepted!.licenseOrderId);
    return { sent, batchId, licenseOrderId: accepted!.licenseOrderId };
  };
  const failed = await submit(deleteAsset(customer, [newAssetNum()]));
  await api.completed(failed.sent);
  // An enterprise with customers of this channel only, and its administrator.
  const only = await api.newCustomer(`Only ${randomUUID()}`, code);
  const { enterpriseGlobalId } = only;
  const end = String(Date.UTC(2040, code === 'ours' ? 1 : 2));
  const ending = newBuy(only, [newAssetNum()], {}, { limitEndDate: Number(end) });
  await api.process({ ...batchOf(ending), channelCode: code });
  const { memberGlobalId, account } = await admin.call('createFirstAdministrator', { params: { enterpriseGlobalId } });
  const bare = await api.newCustomer(undefined, code);
  const url = `https://${code}.example/hook`;
  const { webhookId }: { webhookId: string } = dataOf(await api.call('POST', '/webhooks', { body: { url } }));
  const { deliveryId }: { deliveryId: string } = dataOf(await api.call('POST', `/webhooks/${webhookId}/test`));
  await admin.call('pauseChannel', { params: { channelCode: code }, body: { reason: `of ${code}` } });
  const [pending, cancellable] = [await submit(newBuy(customer, [newAssetNum()])), await submit(newBuy(only, ['L1']))];
  await sql`insert into order_hold (customer_id, lane, license_order_id, next_try, last_error)
    values (${bare.customerId}, 1, ${failed.licenseOrderId}, now() + interval '1 day', 'test')`.execute(stack.db);
  const { appKey } = api.credentials;
  const requestId = (await api.call('GET', '/licenseOrder/404')).headers.get('x-request-id')!;
  const countRefusals = async () => dataOf(await api.ask('listRefusals', { query: { requestId } })).refusals.length;
  await vi.waitUntil(async () => (await countRefusals()) === 1, 10_000);
  const bought = { licenseOrderId, channelOrderId: batch.channelOrderId };
  return {
    code,
    customer,
    numbers,
    bought,
    failed,
    only,
    end,
    memberGlobalId,
    account,
    bare,
    webhookId,
    deliveryId,
    url,
    pending,
    cancellable,
    appKey,
    requestId,
  };
}

/** What tells in an answer that it shows something of a channel. */
const namesOf = (side: Side): string[] => [
  side.code,
  side.appKey,
  side.requestId,
  side.url,
  ...[side.customer, side.only, side.bare].flatMap(({ customerId, channelCustomerId }) => [
    customerId,
    channelCustomerId,
  ]),
  ...[side.only, side.bare].flatMap(({ enterpriseGlobalId, enterpriseName }) => [enterpriseGlobalId, enterpriseName]),
  ...Object.values(side.numbers),
  ...[side.bought, side.failed, side.pending].map(({ licenseOrderId }) => licenseOrderId),
  ...[side.bought, side.failed.sent, side.pending.sent].map(({ channelOrderId }) => channelOrderId),
];
const THEIRS = [...namesOf(theirs), two.elsewhere, unbound.customer.customerId];

const isIn = (body: unknown, word: string) =>
  new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(typeof body === 'string' ? body : JSON.stringify(body));

/** Returns what an answer shows of the other channel, except for what the call named. */
const leaksIn = (body: unknown, sent: unknown) => THEIRS.filter((word) => isIn(body, word) && !isIn(sent, word));

/** A call about something of a channel, and what the limited operator gets for that of the other channel. */
interface Trial {
  call: (side: Side) => object;
  /** The cause of the refusal; or no rows. */
  theirs: 'not_found' | 'channel_not_allowed' | 'no rows';
}

const about = (call: Trial['call'], comesOut: Trial['theirs'] = 'not_found'): Trial[] => [{ call, theirs: comesOut }];
/** A list with each of these filters. Every list without path parameters is also tried without a filter. */
const filtered = (...queries: ((side: Side) => object)[]): Trial[] =>
  queries.map((query) => ({ call: (side) => ({ query: query(side) }), theirs: 'no rows' }));

const batch = (more: object = {}) => about(({ failed }) => ({ params: { batchId: failed.batchId }, ...more }));
const resend = () =>
  about(({ failed }) => {
    const body = { channelOrderId: randomUUID(), orderList: failed.sent.orderList };
    return { params: { batchId: failed.batchId }, body };
  });
const order = (which: 'bought' | 'failed' | 'pending', more: object = {}) =>
  about((side) => ({ params: { licenseOrderId: side[which].licenseOrderId }, ...more }));
const asset = () => about(({ numbers }) => ({ params: { assetNum: numbers.held } }));
const enterprise = (more: object = {}, which: 'only' | 'bare' = 'only') =>
  about((side) => ({ params: { enterpriseGlobalId: side[which].enterpriseGlobalId }, ...more }));
const channel = (more: object = {}) => about(({ code }) => ({ params: { channelCode: code }, ...more }));
const webhook = (more: object = {}) => about(({ webhookId }) => ({ params: { webhookId }, ...more }));
const buy = (channelCode: string, customer: Customer) => ({
  ...batchOf(newBuy(customer, [newAssetNum()])),
  channelCode,
});

const OF_ALL = 'names nothing of a channel';

/**
 * A decision for every operation except those of the session, and those for admins, who are never limited. What changes
 * something comes after what reads it.
 */
const TRIALS: Partial<Record<ConsoleOperationId, Trial[] | typeof OF_ALL>> = {
  getOverview: OF_ALL,
  getProblems: OF_ALL,
  getQueue: OF_ALL,
  listAllBatches: filtered(
    ({ code }) => ({ channelCode: code }),
    ({ failed }) => ({ channelOrderId: failed.sent.channelOrderId }),
    ({ appKey }) => ({ appKey, hasFailed: 'true' }),
  ),
  getBatch: batch(),
  getBatchFailures: batch(),
  listBatchOrders: batch(),
  downloadFailedOrders: batch(),
  getOrdersToResend: batch(),
  listAllOrders: filtered(
    ({ code }) => ({ channelCode: code }),
    ({ appKey }) => ({ appKey, acceptedFrom: '1700000000000' }),
    ({ customer }) => ({ customerId: customer.customerId }),
    ({ numbers }) => ({ assetNum: numbers.free }),
    ({ appKey }) => ({ appKey, state: 'pending' }),
  ),
  getOrder: order('bought'),
  getOrderContent: order('failed'),
  getOrderEffects: order('bought'),
  previewOrder: order('failed'),
  listHolds: OF_ALL,
  listImports: filtered(({ failed }) => ({ channelOrderId: `${failed.sent.channelOrderId}*` })),
  search: filtered(
    ...[
      ({ numbers }: Side) => numbers.free,
      ({ bought }: Side) => bought.licenseOrderId,
      ({ bought }: Side) => bought.channelOrderId,
      ({ customer }: Side) => customer.channelCustomerId,
      ({ only }: Side) => only.enterpriseName,
      ({ account }: Side) => account,
      ({ code }: Side) => code,
      ({ appKey }: Side) => appKey,
      ({ requestId }: Side) => requestId,
    ].map((text) => (side: Side) => ({ text: text(side) })),
  ),
  listAssets: filtered(
    ({ numbers }) => ({ assetNum: numbers.held }),
    ({ customer }) => ({ customerId: customer.customerId }),
    ({ code }) => ({ channelCode: code, state: 'all' }),
  ),
  getExpiring: filtered(({ end }) => ({ expiresFrom: end, expiresTo: end })),
  getAsset: asset(),
  getAssetContents: asset(),
  getAssetHistory: asset(),
  listEnterprises: filtered(
    ({ only }) => ({ text: only.enterpriseName }),
    ({ only }) => ({ text: only.enterpriseGlobalId }),
  ),
  listCustomers: filtered(
    ({ customer }) => ({ text: customer.channelCustomerId }),
    ({ customer }) => ({ text: customer.customerId }),
    ({ customer }) => ({ customerId: customer.customerId }),
    ({ code }) => ({ channelCode: code }),
    ({ only }) => ({ enterpriseGlobalId: only.enterpriseGlobalId }),
  ),
  getEnterprise: enterprise(),
  listEmployees: enterprise(),
  getSeats: enterprise(),
  listHoldings: enterprise(),
  listEnterpriseAuditLog: enterprise(),
  previewBatch: [
    ...about(({ code, customer }) => ({ body: buy(code, customer) }), 'channel_not_allowed'),
    ...about(({ code, customer, appKey }) => ({ query: { appKey }, body: buy(code, customer) })),
  ],
  listApplications: filtered(({ appKey }) => ({ search: appKey })),
  listRefusals: filtered(
    ({ appKey }) => ({ appKey }),
    ({ requestId }) => ({ requestId }),
  ),
  getApplication: about(({ appKey }) => ({ params: { appKey } })),
  listChannels: filtered(({ code }) => ({ search: code })),
  getChannel: channel(),
  listWebhooks: filtered(({ appKey }) => ({ appKey })),
  getWebhook: webhook(),
  listWebhookDeliveries: webhook(),
  checkResend: resend(),
  resendOrders: resend(),
  cancelBatch: about(({ cancellable }) => ({ params: { batchId: cancellable.batchId } })),
  failOrder: order('pending', { body: { reason: 'test' } }),
  retryOrder: order('pending'),
  setSecurityMobile: enterprise({ body: { securityMobile: '13812340001' } }),
  createFirstAdministrator: enterprise({}, 'bare'),
  resetAdministratorPassword: about(({ only, memberGlobalId }) => ({
    params: { enterpriseGlobalId: only.enterpriseGlobalId, memberGlobalId },
  })),
  resumeChannel: channel(),
  pauseChannel: channel({ body: { reason: 'test' } }),
  enableWebhook: webhook({ body: {} }),
  replayWebhook: webhook({ body: {} }),
  testWebhook: webhook(),
  pauseWebhook: webhook(),
  resumeWebhook: webhook(),
  resendDelivery: about(({ webhookId, deliveryId }) => ({ params: { webhookId, deliveryId } })),
  listAuditLog: filtered(({ code }) => ({ target: code })),
};
const tried = Object.entries(TRIALS) as [ConsoleOperationId, Trial[] | typeof OF_ALL][];
const isList = (id: ConsoleOperationId) => 'list' in consoleOperations[id];

const send = (by: ConsoleClient, id: ConsoleOperationId, call: object, accept = '') =>
  by.send(id, call as never, { accept });
const CSV = 'text/csv';

/** Whether the lists in the data of an answer, or the rows of a CSV, are empty. */
const isEmpty = (body: unknown): boolean =>
  typeof body === 'string'
    ? body.trimEnd().split('\r\n').length === 1
    : Object.values((body as { data: object }).data).every((each) => !Array.isArray(each) || each.length === 0);

it('every operation has a decision', () => {
  const decided = Object.entries(consoleOperations).filter(
    ([, { role, path }]) => role !== 'admin' && !path.startsWith('/session'),
  );
  expect(tried.map(([id]) => id).sort()).toEqual(decided.map(([id]) => id).sort());
});

describe('a limited operator', () => {
  const trials = tried.flatMap(([id, all]) =>
    typeof all === 'string'
      ? []
      : all.map((trial, index): [string, ConsoleOperationId, Trial] => [`${id} ${index + 1}`, id, trial]),
  );
  it.each(trials)('sees and changes only what is ours: %s', async (_name, id, { call, theirs: comesOut }) => {
    for (const accept of isList(id) ? ['', CSV] : ['']) {
      const refused = call(theirs);
      const answer = await send(limited, id, refused, accept);
      expect(leaksIn(answer.body, refused)).toEqual([]);
      if (comesOut === 'no rows') expect([answer.status, isEmpty(answer.body)]).toEqual([200, true]);
      else expect(answer.body.cause).toBe(comesOut);

      const allowed = call(ours);
      const { status, body } = await send(limited, id, allowed, accept);
      expect([status, leaksIn(body, allowed)]).toEqual([200, []]);
      // An operator without limits gets both.
      if (consoleOperations[id].method !== 'GET') continue;
      const all = await send(admin, id, refused, accept);
      expect(all.status).toBe(200);
      if (comesOut === 'no rows') expect([isEmpty(body), isEmpty(all.body)]).toEqual([false, false]);
    }
  });

  const unfiltered = tried.filter(
    ([id]) => !consoleOperations[id].path.includes('{') && (TRIALS[id] === OF_ALL || isList(id)),
  );
  it.each(unfiltered)('sees only what is ours in %s without a filter', async (id) => {
    for (const accept of isList(id) ? ['', CSV] : ['']) {
      const [mine, all] = [await send(limited, id, {}, accept), await send(admin, id, {}, accept)];
      expect([mine.status, leaksIn(mine.body, {})]).toEqual([200, []]);
      if (id === 'getProblems') expect(mine.body).not.toEqual(all.body);
      if (id === 'getQueue' || id === 'getProblems') continue;
      expect(namesOf(ours).filter((word) => isIn(mine.body, word))).not.toEqual([]);
      expect(leaksIn(all.body, {})).not.toEqual([]);
    }
  });
});

describe('an enterprise with customers of both channels', () => {
  const params = { enterpriseGlobalId: shared };

  it.each(['getEnterprise', 'listEmployees', 'getSeats', 'listHoldings'] as const)('shows ours in %s', async (id) => {
    const [mine, all] = [await send(limited, id, { params }), await send(admin, id, { params })];
    expect([mine.status, leaksIn(mine.body, {})]).toEqual([200, []]);
    expect(mine.body).not.toEqual(all.body);
  });

  it.each([
    ['listEnterpriseAuditLog', {}],
    ['setSecurityMobile', { body: { securityMobile: '13812340001' } }],
    ['createFirstAdministrator', {}],
    ['resetAdministratorPassword', { params: { ...params, memberGlobalId: unbound.adminId } }],
  ] as const)('refuses %s', async (id, more) => {
    expect((await send(limited, id, { params, ...more })).body.cause).toBe('channels_missing');
  });
});

describe('orders that reach into another channel', () => {
  it('fail in a preview, like those of a customer who does not exist', async () => {
    const { orders } = dataOf(await send(limited, 'previewBatch', { body: buy('ours', theirs.customer) })) as {
      orders: unknown[];
    };
    expect(orders).toMatchObject([{ state: 'failed', cause: 'customer_not_found' }]);
  });

  it('are not resent', async () => {
    // An application that may use both channels sent the failed order.
    const sent = { ...batchOf(deleteAsset(ours.customer, [newAssetNum()])), channelCode: 'ours' };
    await admin.call('resumeChannel', { params: { channelCode: 'ours' } });
    const [failed] = await unbound.api.process(sent);
    expect(failed).toMatchObject({ cause: 'asset_not_found' });
    const { batchId } = splitOrderId(failed!.licenseOrderId);
    const resendAs = async (...orderList: Sent[]) => {
      const body = { channelOrderId: randomUUID(), orderList: batchOf(...orderList).orderList };
      return await send(limited, 'resendOrders', { params: { batchId }, body });
    };
    const transfer = newBuy(ours.customer, [theirs.numbers.free], {}, { transferedAssetNum: true });
    expect((await resendAs(transfer)).body.cause).toBe('channels_missing');
    const made = dataOf(await resendAs(newBuy(theirs.customer, [newAssetNum()]))) as { batchId: string };
    expect(await admin.call('getBatchFailures', { params: { batchId: made.batchId as never } })).toMatchObject({
      failures: [{ cause: 'customer_not_found' }],
    });
  });
});

it('later orders of other channels stay when a limited operator fails an order', async () => {
  await admin.call('pauseChannel', { params: { channelCode: 'ours' }, body: { reason: 'test' } });
  const submit = async (api: Api, channelCode: string) => {
    const [accepted] = await api.accept(buy(channelCode, ours.customer));
    return { licenseOrderId: accepted!.licenseOrderId };
  };
  const [first, later] = [await submit(bound.api, 'ours'), await submit(unbound.api, 'theirs')];
  const failed = await limited.call('failOrder', { params: first, body: { reason: 'test', later: 'fail' } });
  expect(failed).toEqual({ outcome: 'failed', licenseOrderIds: [first.licenseOrderId], orders: 1 });
  expect(await admin.call('getOrder', { params: later })).toMatchObject({ state: 'pending' });
});

describe('the channels of an operator', () => {
  it('take effect with the next call, and their change is in the audit log', async () => {
    const { name } = limited.login;
    const codes = async () =>
      (await limited.call('listChannels', { query: {} })).channels.map((each) => each.channelCode);
    expect((await limited.call('getMe')).channels).toEqual(['ours', 'ours too']);
    await limit(name, null);
    expect(await codes()).toEqual(['crm', 'industry', 'ours', 'ours too', 'theirs']);
    await limit(name, ['theirs']);
    expect(await codes()).toEqual(['theirs']);
    const action = 'operator.channels_bound';
    const changes = [
      { action, before: { channels: null }, after: { channels: ['theirs'] } },
      { action, before: { channels: ['ours', 'ours too'] }, after: { channels: null } },
    ];
    expect((await admin.changesOf(name)).slice(0, 2)).toEqual(changes);
    const operators = (await admin.call('listOperators')).operators;
    expect(operators.find((each) => each.name === name)).toMatchObject({ channels: ['theirs'] });
  });

  it('exist, and leave admins unlimited', async () => {
    const { name } = limited.login;
    expect((await limit(name, ['ours', 'nowhere'])).body).toMatchObject({
      cause: 'not_found',
      args: ['channel', 'nowhere'],
    });
    const body = { name: `op-${randomUUID().slice(0, 8)}`, role: 'admin' as const, channels: ['ours'] };
    expect((await admin.send('createOperator', { body: { ...body, channels: ['nowhere'] } })).status).toBe(404);
    const client = new ConsoleClient(stack.baseUrl, await admin.call('createOperator', { body }));
    expect(await client.call('logIn', { body: client.login })).toMatchObject({ channels: null });
    await admin.call('setOperatorRole', { params: { name: body.name }, body: { role: 'viewer' } });
    expect(await client.call('getMe')).toMatchObject({ channels: ['ours'] });
  });
});
