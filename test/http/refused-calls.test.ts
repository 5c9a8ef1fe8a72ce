import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { RefusalRecorder, setApplicationStatus } from '@lockstep/access';
import { type ApplicationId, buildPath, type FailureBody, RefusalPage, type RefusedCall } from '@lockstep/contract';
import { createLogger, type Database, openDatabase } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, Api, dataOf, readPages } from '../harness/api.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askClientToken, requestToken } from '../harness/oauth.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { startStack, testDatabase, testStack } from '../harness/stack.ts';

/** Refused calls of applications (rules 1.3): which are kept, what of them, who sees them, and how many. */
const { stack, api } = await testStack({ worker: false });
const center = await MemberCenter.open(stack, api);
const customer = await api.newCustomer();

const list = async (by: Api, query: Record<string, string> = {}): Promise<RefusalPage> =>
  RefusalPage.parse(dataOf(await by.ask('listRefusals', { query })));

/** Returns what is kept of a refused call, once it is stored. */
function keptOf(answer: Answer, by = api): Promise<RefusedCall> {
  const requestId = answer.headers.get('x-request-id')!;
  return vi.waitFor(async () => {
    const { refusals } = await list(by, { requestId });
    expect(refusals).toHaveLength(1);
    return refusals[0]!;
  }, 10_000);
}

const ofScope = async (scope: string) =>
  (await askClientToken(stack.baseUrl, api.credentials, scope)).body.access_token;
const used = randomUUID();
const taken = batchOf(newBuy(customer, [newAssetNum()]));

const SORTS: [cause: string, call: () => Promise<Answer>, kept: Partial<RefusedCall>][] = [
  ['nonce_missing', () => api.ask('listBatches', { nonce: null }), { operation: 'listBatches' }],
  ['nonce_malformed', () => api.ask('listBatches', { nonce: 'short' }), { code: '13004' }],
  ['nonce_replayed', () => api.ask('listBatches', { nonce: used }), {}],
  ['scope_missing', async () => api.ask('listBatches', { token: await ofScope('auth_me') }), { args: ['auth_order'] }],
  ['app_key_mismatch', () => api.submit(taken, { query: { appKey: 'x' } }), { channelOrderId: taken.channelOrderId }],
  [
    'json_malformed',
    () => api.submit(taken, { rawBody: '{"channelOrderId": "A"' }),
    { size: 22, channelOrderId: null },
  ],
  ['content_type_unsupported', () => api.submit(taken, { headers: { 'content-type': 'text/csv' } }), {}],
  ['body_too_large', () => api.ask('lockAssets', { rawBody: ' '.repeat(2 ** 21) }), { size: 2 ** 21 }],
  ['field_missing', () => api.ask('lockAssets', { body: { assetNums: ['81', '82'] } }), { assetNums: ['81', '82'] }],
  [
    'order_not_found',
    () => api.call('GET', '/licenseOrder/404'),
    { operation: 'getOrderResult', args: ['404'], size: 0 },
  ],
  ['asset_not_found', () => api.call('GET', '/asset/8100000404'), { assetNums: ['8100000404'] }],
  [
    'batch_not_found',
    () => api.submitCancel({ channelCode: 'test', channelOrderId: 'B-404' }),
    { channelOrderId: 'B-404' },
  ],
  ['field_invalid', () => api.ask('listBatches', { query: { cursor: 'cut' } }), { args: ['cursor', 'cursor'] }],
  [
    'user_token_invalid',
    () => center.submitList({}, { userToken: 'x' }),
    { code: '60005', operation: 'listEmployees' },
  ],
  ['client_token_missing', () => center.submitList({}, { clientToken: null }), {}],
  ['not_administrator', () => center.call('GET', '/enterprise/404/members'), { code: '70001' }],
  ['asset_number_not_found', () => center.configure(center.adminId, [], ['8100000405']), { assetNums: ['8100000405'] }],
  ['account_malformed', () => center.submitAdd([newEmployee({ userName: '?' })]), { code: '10003' }],
];

describe('of an application', () => {
  beforeAll(async () => {
    await api.ask('listBatches', { nonce: used });
    await api.accept(taken);
  });

  it.concurrent.each(SORTS)('%s is kept', async (cause, call, kept) => {
    const answer = await call();
    const { code, message, args = [] } = answer.body as FailureBody;
    const found = await keptOf(answer);
    expect(found).toMatchObject({ cause, code, message, args, channelOrderId: null, ...kept });
    expect(Math.abs(found.time - Date.now())).toBeLessThan(60_000);
  });

  it('is kept while it is suspended', async () => {
    const other = await stack.newApi();
    const { appKey } = other.credentials;
    await setApplicationStatus(stack.db, appKey, 'suspended');
    const answer = await other.ask('listBatches');
    await setApplicationStatus(stack.db, appKey, 'approved');
    const again = await Api.logIn(stack.baseUrl, other.credentials);
    expect(await keptOf(answer, again)).toMatchObject({ cause: 'application_not_approved' });
  });

  it('a batch of a wrong shape is kept with its first faults and asset numbers', async () => {
    const numbers = Array.from({ length: 25 }, newAssetNum);
    const wrong = newBuy(customer, numbers, { customerId: 'x', address: null, adminName: null, branchName: null });
    const batch = batchOf(wrong, { ...wrong, sequence: 'y' });
    const answer = await api.submit(batch);
    expect(await keptOf(answer)).toMatchObject({
      channelOrderId: batch.channelOrderId,
      assetNums: numbers.slice(0, 20),
      faults: answer.body.faults.slice(0, 5),
      size: JSON.stringify(batch).length,
    });
    expect(answer.body.faults.length).toBeGreaterThan(5);
  });

  it.each(['async', 'sync'])('%s batch that conflicts is kept with its name and asset numbers', async (syncMode) => {
    const num = newAssetNum();
    const answer = await api.submit({
      ...batchOf(newBuy(customer, [num])),
      ...{ syncMode },
      channelOrderId: taken.channelOrderId,
    });
    const kept = { cause: 'channel_order_id_conflict', channelOrderId: taken.channelOrderId, assetNums: [num] };
    expect(await keptOf(answer)).toMatchObject(kept);
  });

  it('is kept if it announces a body of any size', async () => {
    const headers = { authorization: `Bearer ${api.token}`, 'content-length': '10000000000000000000' };
    const url = `${stack.baseUrl}${buildPath('lockAssets', {})}?g_nonce=${randomUUID()}`;
    const request = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } });
    request.on('error', () => {}).flushHeaders();
    const [{ headers: answered }] = await once(request, 'response');
    const answer = { headers: new Headers(answered) } as Answer;
    expect(await keptOf(answer)).toMatchObject({ cause: 'body_too_large', size: 2_147_483_647 });
    request.destroy();
  });

  it('quotes what a client sent in a form that can be stored', async () => {
    const answer = await api.submit(taken, { rawBody: '{"a\\u0000\\ud800": 1, "a\\u0000\\ud800": 2}' });
    expect((await keptOf(answer)).cause).toBe('field_repeated');
  });
});

it('calls of strangers and accepted calls are not kept', async () => {
  const before = await sql`select from refused_call`.execute(stack.db);
  await api.ask('listBatches', { token: 'unknown' });
  await api.ask('listBatches', { token: null });
  await requestToken(stack.baseUrl, { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' });
  await api.call('GET', '/nowhere');
  await center.submitAdd([newEmployee(), newEmployee({ userName: '?' })]);
  await keptOf(await api.call('GET', '/licenseOrder/404'));
  const { rows } = await sql`select from refused_call`.execute(stack.db);
  expect(rows).toHaveLength(before.rows.length + 1);
});

it('bodies, secrets and personal data are not kept', async () => {
  const secret = 'Hush-13912345678';
  const employee = { ...newEmployee(), name: secret, mobile: secret, remark: secret.repeat(20), password: secret };
  await center.submitAdd([employee]);
  const order = newBuy(customer, [newAssetNum()], {
    adminName: secret,
    adminCellNumber: secret,
    adminEmail: 7,
    address: 7,
  });
  await api.submit(batchOf(order));
  await api.ask('lockAssets', { body: { assetNums: 7, operatorIdentity: secret } });
  await keptOf(await api.submit(taken, { rawBody: `{"password": "${secret}", oops` }));
  const { rows } = await sql<{
    kept: string;
  }>`select row_to_json(refused_call)::text as kept from refused_call`.execute(stack.db);
  const tokens = [api.token, center.userToken, used];
  for (const { kept } of rows) for (const text of [secret, ...tokens]) expect(kept).not.toContain(text);
});

describe('the list', () => {
  let own: Api;
  let other: Api;
  beforeAll(async () => {
    [own, other] = [await stack.newApi(), await stack.newApi()];
    await keptOf(await other.call('GET', '/licenseOrder/404'), other);
    for (const id of ['1', '2', '3']) await own.call('GET', `/licenseOrder/${id}`);
    await keptOf(await own.call('GET', '/asset/404'), own);
  });

  it('has the own calls, newest first and by page, and counts them', async () => {
    const pages = await readPages((cursor) => list(own, { limit: '3', cursor }));
    expect(pages.flatMap(({ refusals }) => refusals.map(({ args }) => args[0]))).toEqual(['404', '3', '2', '1']);
    expect(pages.map(({ counts }) => counts)).toEqual([{ order_not_found: 3, asset_not_found: 1 }, {}]);
  });

  it('applies its filters together', async () => {
    const found = async (query: Record<string, string>) => (await list(own, query)).refusals.map(({ args }) => args[0]);
    expect(await found({ cause: 'asset_not_found' })).toEqual(['404']);
    expect(await found({ cause: 'asset_not_found', operation: 'getOrderResult' })).toEqual([]);
    const [{ time } = { time: 0 }, { requestId } = { requestId: '' }] = (await list(own)).refusals;
    expect(await found({ requestId, operation: 'getOrderResult' })).toEqual(['3']);
    expect(await found({ refusedFrom: String(time), refusedTo: String(time) })).toContain('404');
    expect(await found({ refusedTo: '1700000000000' })).toEqual([]);
    expect((await list(own, { refusedTo: '1700000000000' })).counts).toEqual({});
  });

  it("refuses an unknown filter, and another list's cursor", async () => {
    const ask = async (query: Record<string, string>) => (await own.ask('listRefusals', { query })).body;
    expect(await ask({ channelCode: 'test' })).toMatchObject({ cause: 'filter_unknown' });
    const { nextCursor } = await list(own, { limit: '1' });
    expect(await ask({ cursor: nextCursor!, cause: 'asset_not_found' })).toMatchObject({ cause: 'field_invalid' });
    expect((await other.ask('listRefusals', { query: { cursor: nextCursor! } })).body).toMatchObject({
      cause: 'field_invalid',
    });
  });
});

describe('the recorder', async () => {
  const { db, url } = await testDatabase();
  const logLines: string[] = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: new Set() },
    { write: (line) => void logLines.push(line) },
  );
  const applicationId = '7' as ApplicationId;
  const answer = { code: '13004', cause: 'field_invalid', message: '', args: ['x'.repeat(900)] } as FailureBody;
  const record = (recorder: RefusalRecorder, requestId: string, cause = answer.cause, of = applicationId) =>
    recorder.record({
      ...{ applicationId: of, operation: 'lockAssets', answer: { ...answer, cause }, requestId },
      ...{ channelOrderId: null, assetNums: [], size: 0 },
    });
  const stored = async () => {
    const { rows } = await sql<{ details: number; counted: number; characters: number }>`
      select count(*)::int as details, coalesce(max(char_length(args[1])), 0) as characters,
        (select coalesce(sum(count), 0)::int from refusal_count where application_id = ${applicationId}) as counted
      from refused_call where application_id = ${applicationId}`.execute(db);
    return rows[0];
  };

  it('counts a flood exactly, keeps a hundred of a cause, and stores when it closes', async () => {
    const recorders = [new RefusalRecorder({ db, log }), new RefusalRecorder({ db, log })];
    for (let call = 0; call < 5_000; call++) for (const recorder of recorders) record(recorder, `flood-${call}`);
    await Promise.all(recorders.map((recorder) => recorder.close()));
    expect(await stored()).toEqual({ details: 200, counted: 10_000, characters: 300 });
  });

  it('keeps the newest thousand while PostgreSQL is away, of each application, and says so once', async () => {
    await sql`truncate refused_call, refusal_count`.execute(db);
    let isAway = true;
    const away = openDatabase({
      url: url.replace(/:\d+\//, ':1/'),
      poolSize: 1,
      applicationName: 'away',
      onError: () => {},
    });
    const switching = { getExecutor: () => (isAway ? away : db).getExecutor() } as Database;
    const recorder = new RefusalRecorder({ db: switching, log });
    record(recorder, 'away-other', 'field_invalid', '8' as ApplicationId);
    for (let call = 0; call < 1_500; call++) record(recorder, `away-${call}`, `cause_${call % 15}` as 'field_invalid');
    await recorder.close();
    expect(await stored()).toMatchObject({ details: 0, counted: 0 });
    await recorder.close();
    isAway = false;
    await recorder.close();
    expect(await stored()).toMatchObject({ details: 999, counted: 1_500 });
    const { rows } = await sql`select request_id from refused_call
      where request_id in ('away-other', 'away-500', 'away-501')`.execute(db);
    expect(rows).toEqual([{ request_id: 'away-other' }, { request_id: 'away-501' }]);
    expect(logLines.filter((line) => line.includes('refused calls not stored'))).toHaveLength(1);
    await away.destroy();
  });

  it('keeps the last 10,000 of an application', async () => {
    await sql`truncate refused_call, refusal_count`.execute(db);
    await sql`
      insert into refused_call (application_id, time, operation, code, cause, args, faults, request_id, asset_nums, size)
      select id, now() - make_interval(secs => n), 'lockAssets', '13004', 'field_missing', '{}', '[]', 'old-' || n, '{}', 0
      from generate_series(1, 10_050) as n, unnest(array[7, 8]) as id`.execute(db);
    const recorder = new RefusalRecorder({ db, log });
    record(recorder, 'new');
    await recorder.close();
    const { rows } = await sql`
      select application_id::int as id, count(*)::int as rows, bool_or(request_id = 'old-10000') as newest,
        bool_or(request_id = 'old-10001') as older
      from refused_call group by application_id order by 1`.execute(db);
    expect(rows).toEqual([
      { id: 7, rows: 10_001, newest: true, older: false },
      { id: 8, rows: 10_050, newest: true, older: true },
    ]);
  });
});

it('a process that stops stores what it has refused', async () => {
  const database = await testDatabase();
  const stopping = await startStack({ worker: false, database: { ...database, close: async () => {} } });
  await (await stopping.newApi()).call('GET', '/licenseOrder/404');
  await stopping.close();
  const { rows } = await sql`select cause from refused_call`.execute(database.db);
  expect(rows).toEqual([{ cause: 'order_not_found' }]);
});
