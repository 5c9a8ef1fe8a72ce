import { randomUUID } from 'node:crypto';
import type { ConsoleCall } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Api } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { askClientToken } from '../harness/oauth.ts';
import { batchOf, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Applications in the console: listed, registered, approved, suspended, bound, and their secrets rotated. */

const { stack } = await testStack({ worker: false });
const admin = await ConsoleClient.logIn(stack, 'admin');

/** Registers an application with a unique name. */
async function create(changes: Partial<ConsoleCall<'createApplication'>['body']> = {}) {
  const name = `Shop ${randomUUID()}`;
  const body = { name, scopes: ['auth_order' as const], channels: null, isApproved: true, ...changes };
  return { name, ...(await admin.call('createApplication', { body })) };
}
const read = (appKey: string) => admin.call('getApplication', { params: { appKey } });
const token = (client: Parameters<typeof askClientToken>[1]) => askClientToken(stack.baseUrl, client);

describe('a new application', () => {
  it('has a key and a secret shown only once, and is in the audit log', async () => {
    const { name, appKey, appSecret } = await create({ channels: ['web', ' tele ', 'web'], isApproved: false });
    const shown = await read(appKey);
    expect(shown).toEqual({
      appKey,
      name,
      hearsLicenses: false,
      leadDays: [30, 7],
      scopes: ['auth_order'],
      status: 'pending',
      channels: ['web', 'tele'],
      createdTime: expect.any(Number),
      oldSecretEndTime: null,
      liveTokens: { count: 0, isMore: false },
      lastTokenTime: null,
      lastBatchTime: null,
      lastDay: { since: expect.any(Number), batches: 0, orders: 0, failed: 0, isMore: false },
    });
    const after = { name, scopes: ['auth_order'], channels: ['web', 'tele'], status: 'pending' };
    expect(await admin.changesOf(appKey)).toEqual([{ action: 'application.created', before: null, after }]);
    const { rows } = await sql`select after from operator_audit`.execute(stack.db);
    expect(JSON.stringify(rows)).not.toContain(appSecret);
    expect(stack.logLines.join('')).not.toContain(appSecret);
  });

  it.each([
    ['without a scope', { scopes: [] }, 'field_invalid'],
    ['with a blank name', { name: ' ' }, 'field_missing'],
    ['bound to no channel by name', { channels: [] }, 'field_invalid'],
    ['bound to a blank channel', { channels: [' '] }, 'field_missing'],
  ])('is refused %s', async (_, changes, cause) => {
    const body = { name: 'Shop', scopes: ['auth_order' as const], channels: null, isApproved: true, ...changes };
    const { status, body: answer } = await admin.send('createApplication', { body });
    expect({ status, cause: answer.cause }).toEqual({ status: 400, cause });
  });
});

describe('the list', () => {
  it('finds by a part of the name or of the key, in any case, newest first, in pages', async () => {
    const word = randomUUID();
    const made = [];
    for (const number of [1, 2, 3]) made.push((await create({ name: `${word} ${number}` })).appKey);
    const search = word.toUpperCase();
    const first = await admin.call('listApplications', { query: { search, limit: '2' } });
    expect(first.applications.map(({ appKey }) => appKey)).toEqual([made[2], made[1]]);
    const rest = await admin.call('listApplications', { query: { search, limit: '2', cursor: first.nextCursor! } });
    expect(rest).toMatchObject({ applications: [{ appKey: made[0] }], nextCursor: null });
    const byKey = await admin.call('listApplications', { query: { search: made[1]!.slice(4) } });
    expect(byKey.applications.map(({ appKey }) => appKey)).toEqual([made[1]]);
    const other = await admin.send('listApplications', { query: { search: 'other', cursor: first.nextCursor! } });
    expect(other.body.cause).toBe('field_invalid');
  });

  it('takes wildcards literally', async () => {
    const word = randomUUID();
    const { appKey } = await create({ name: `${word} 100%_\\` });
    await create({ name: `${word} 100 a` });
    const { applications } = await admin.call('listApplications', { query: { search: `${word} 100%_\\` } });
    expect(applications.map((one) => one.appKey)).toEqual([appKey]);
  });

  it('filters by status', async () => {
    const { name, appKey } = await create({ isApproved: false });
    const list = (status: 'pending' | 'approved') =>
      admin.call('listApplications', { query: { search: name, status } }).then(({ applications }) => applications);
    expect(await list('pending')).toMatchObject([{ appKey }]);
    expect(await list('approved')).toEqual([]);
  });
});

describe('an application', () => {
  it('is approved and suspended, which revokes its tokens; a no-op is not recorded', async () => {
    const application = await create({ isApproved: false });
    const params = { appKey: application.appKey };
    expect((await token(application)).body.error).toBe('unauthorized_client');
    expect(await admin.call('approveApplication', { params })).toMatchObject({ status: 'approved' });
    await admin.call('approveApplication', { params });
    const api = await Api.logIn(stack.baseUrl, application);
    expect((await read(application.appKey)).liveTokens).toEqual({ count: 1, isMore: false });
    expect((await api.ask('listBatches')).status).toBe(200);

    expect(await admin.call('suspendApplication', { params })).toMatchObject({ status: 'suspended' });
    expect((await api.ask('listBatches')).body).toMatchObject({ cause: 'application_not_approved' });
    expect((await read(application.appKey)).liveTokens).toEqual({ count: 0, isMore: false });
    expect(await admin.changesOf(application.appKey)).toMatchObject([
      {
        action: 'application.suspended',
        before: { status: 'approved', tokens: 'valid' },
        after: { status: 'suspended', tokens: 'revoked' },
      },
      { action: 'application.approved', before: { status: 'pending' }, after: { status: 'approved' } },
      { action: 'application.created' },
    ]);
    await admin.call('approveApplication', { params });
    expect((await api.ask('listBatches')).body).toMatchObject({ cause: 'token_invalid' });
  });

  it('shows what it sent in the last 24 hours, its last batch and its last token', async () => {
    const api = await stack.newApi();
    const { appKey } = api.credentials;
    const customer = await api.newCustomer();
    expect((await read(appKey)).lastTokenTime).toBeGreaterThan(Date.now() - 600_000);
    await api.accept(batchOf(newBuy(customer, ['A1']), newBuy(customer, ['A2'])));
    const { lastBatchTime, lastDay } = await read(appKey);
    expect(lastDay).toMatchObject({ batches: 1, orders: 2, failed: 0, isMore: false });
    expect(lastBatchTime).toBeGreaterThan(lastDay.since);
  });

  it('loses its tokens and keeps its secret when they are revoked', async () => {
    const application = await create();
    const params = { appKey: application.appKey };
    const api = await Api.logIn(stack.baseUrl, application);
    expect(await admin.call('revokeApplicationTokens', { params })).toBeNull();
    expect((await read(application.appKey)).liveTokens).toEqual({ count: 0, isMore: false });
    expect((await api.ask('listBatches')).body).toMatchObject({ cause: 'token_invalid' });
    expect((await (await Api.logIn(stack.baseUrl, application)).ask('listBatches')).status).toBe(200);
    expect((await admin.changesOf(application.appKey))[0]).toEqual({
      action: 'application.tokens_revoked',
      before: { tokens: 'valid' },
      after: { tokens: 'revoked' },
    });
  });

  it('gets a new secret, shown once; the previous one stays valid for the overlap', async () => {
    const old = await create();
    const params = { appKey: old.appKey };
    const rotated = await admin.call('rotateApplicationSecret', { params, body: { overlapHours: 2 } });
    expect(rotated.appSecret).not.toBe(old.appSecret);
    expect((await read(old.appKey)).oldSecretEndTime).toBe(rotated.oldSecretEndTime);
    for (const credentials of [old, rotated]) expect((await token(credentials)).status).toBe(200);

    const last = await admin.call('rotateApplicationSecret', { params, body: { overlapHours: 0 } });
    expect(last.oldSecretEndTime).toBeNull();
    expect([await token(rotated), await token(last)].map(({ status }) => status)).toEqual([401, 200]);
    const [entry] = await admin.changesOf(old.appKey);
    expect(entry).toEqual({
      action: 'application.secret_rotated',
      before: { oldSecretEndTime: rotated.oldSecretEndTime, tokens: 'valid' },
      after: { oldSecretEndTime: null, tokens: 'revoked' },
    });
    expect(stack.logLines.join('')).not.toContain(last.appSecret);
  });

  it.each([-1, 721, 1.5])('keeps its secret when the overlap is %s hours', async (overlapHours) => {
    const { appKey, appSecret } = await create();
    const refused = await admin.send('rotateApplicationSecret', { params: { appKey }, body: { overlapHours } });
    expect(refused.body.cause).toBe('field_invalid');
    expect((await token({ appKey, appSecret })).status).toBe(200);
  });

  it('is bound to channels, from its next call on, and to none again', async () => {
    const application = await create();
    const params = { appKey: application.appKey };
    const api = await Api.logIn(stack.baseUrl, application);
    const ask = () => api.ask('listBatches', { query: { channelCode: 'tele' } });
    const bound = await admin.call('bindApplication', { params, body: { channels: ['web'], shownChannels: null } });
    expect(bound.channels).toEqual(['web']);
    expect((await ask()).body.cause).toBe('channel_not_allowed');
    await admin.call('bindApplication', { params, body: { channels: null, shownChannels: ['web'] } });
    expect((await ask()).status).toBe(200);
    expect((await admin.changesOf(application.appKey)).slice(0, 2)).toEqual([
      { action: 'application.channels_bound', before: { channels: ['web'] }, after: { channels: null } },
      { action: 'application.channels_bound', before: { channels: null }, after: { channels: ['web'] } },
    ]);
  });

  it('hears of other licenses, and sooner, when an admin changes its notices', async () => {
    const { appKey } = await create();
    const change = (body: object) => admin.send('changeNotices', { params: { appKey }, body });
    const changed = await admin.call('changeNotices', { params: { appKey }, body: { leadDays: [7, 60, 7] } });
    expect(changed).toMatchObject({ hearsLicenses: false, leadDays: [60, 7] });
    await admin.call('changeNotices', { params: { appKey }, body: { hearsLicenses: true } });
    for (const leadDays of [[0], [366], [1, 2, 3, 4, 5, 6], ['soon']]) {
      expect((await change({ leadDays })).body.cause).toBe('field_invalid');
    }
    const before = { hearsLicenses: false, leadDays: [60, 7] };
    expect((await admin.changesOf(appKey)).slice(0, 2)).toEqual([
      { action: 'application.notices_changed', before, after: { ...before, hearsLicenses: true } },
      { action: 'application.notices_changed', before: { ...before, leadDays: [30, 7] }, after: before },
    ]);
  });

  it('is not bound if another admin has bound it meanwhile', async () => {
    const { appKey } = await create({ channels: ['web'] });
    const bind = (channel: string) =>
      admin.send('bindApplication', { params: { appKey }, body: { channels: [channel], shownChannels: ['web'] } });
    const answers = await Promise.all(['tele', 'partner'].map(bind));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.cause).toBe('changed_meanwhile');
    expect(await admin.changesOf(appKey)).toHaveLength(2);
  });
});
