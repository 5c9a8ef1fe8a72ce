import { randomUUID } from 'node:crypto';
import { repeatOf } from '@lockstep/contract';
import { routes } from '@lockstep/contract/routes';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, type CallOptions, dataOf, refusalOf } from '../harness/api.ts';
import { applicationIdOf, contentWithoutLogins, storedText } from '../harness/databases/tables.ts';
import { untilDoneOrWaiting } from '../harness/databases/waiting.ts';
import { type MemberCallOptions, MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { ForwardedAddress } from '../harness/network/forwarded-address.ts';
import { countHandedOut, numbersFrom } from '../harness/orders/asset-numbers.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Calls that are repeated after a lost answer (rules 1.2). No worker runs. */
const { stack, api } = await testStack({ worker: false });
const center = await MemberCenter.open(stack, api);
// Without a cloud license, it could have five employees.
await center.buy(1, { licenseType: 'cloud_customer' });
const { api: there } = await untilTestsEnd(startAnotherApi(stack, api));

/** An API whose connections to PostgreSQL break after a commit, before its answer. */
const lossy = await ForwardedAddress.open(stack.url);
afterAll(() => lossy.close());
const { api: unlucky } = await untilTestsEnd(startAnotherApi({ ...stack, url: lossy.url }, api));
const unluckyCenter = Object.assign(Object.create(center) as MemberCenter, { api: unlucky });

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const take = (size: number, key: string, by = api) => by.ask('takeAssetNumbers', { body: { size }, ...withKey(key) });
const create = (options: CallOptions = {}, by = api) =>
  by.ask('createWebhook', { body: { url: 'https://hooks.shop.example/lockstep' }, ...options });
const newWebhook = async (): Promise<string> => dataOf(await create()).webhookId;
const newMember = async () => (await center.add())[0]!.globalId;

/** A call that can be repeated, through an API or the member center at one. */
type Repeatable = (options: MemberCallOptions & CallOptions, by: typeof api, member: MemberCenter) => Promise<Answer>;

const ofWebhook =
  (method: string, operation = '', body?: unknown) =>
  async (): Promise<Repeatable> => {
    const path = `/webhooks/${await newWebhook()}${operation}`;
    return (options, by) => by.call(method, path, { ...(body !== undefined && { body }), ...options });
  };

/** For each operation, how to prepare a call. */
const CALLS: Record<string, () => Promise<Repeatable>> = {
  takeAssetNumbers: async () => (options, by) => by.ask('takeAssetNumbers', { body: { size: 3 }, ...options }),
  createWebhook: async () => (options, by) => create(options, by),
  deleteWebhook: ofWebhook('DELETE'),
  rotateWebhookSecret: ofWebhook('POST', '/rotateSecret'),
  testWebhook: ofWebhook('POST', '/test'),
  enableWebhook: async () => {
    const id = await newWebhook();
    await stack.db
      .updateTable('webhook')
      .set({ disabled_time: new Date(), disabled_cause: 'endpoint_gone' })
      .where('id', '=', id as never)
      .execute();
    return (options, by) => by.call('POST', `/webhooks/${id}/enable`, options);
  },
  replayWebhook: ofWebhook('POST', '/replay', {}),
  addEmployees: async () => {
    const userList = [newEmployee(), newEmployee({ name: '' }), newEmployee()];
    return (options, _, member) => member.submitAdd(userList, options);
  },
  resetPassword: async () => {
    const id = await newMember();
    return (options, _, member) => member.resetPassword(id, 'correct horse', options);
  },
  deleteEmployee: async () => {
    const id = await newMember();
    return (options, _, member) => member.delete(id, options);
  },
  configureAssets: async () => {
    const [id, [asset]] = [await newMember(), await center.buy()];
    return (options, _, member) => member.configure(id, [], [asset!.assetNum], options);
  },
  configureEmployees: async () => {
    const [memberGlobalId, [asset]] = [await newMember(), await center.buy()];
    const privileges = [{ memberGlobalId, deleteAssets: [], addAssets: [asset!.assetNum] }];
    return (options, _, member) => member.ask('configureEmployees', {}, { body: { privileges }, ...options });
  },
};

it('each operation that needs a key is here', () => {
  const ids = (Object.keys(routes) as (keyof typeof routes)[]).filter((id) => repeatOf(id) === 'key');
  expect(Object.keys(CALLS).toSorted()).toEqual(ids.toSorted());
});

describe.each(Object.entries(CALLS))('%s, whose commit is not answered,', (id, prepare) => {
  it('takes effect once, and a repeat gets its answer', async () => {
    const call = await prepare();
    const key = randomUUID();
    lossy.toLose = 1;
    expect(refusalOf(await call(withKey(key), unlucky, unluckyCenter)).cause).toBe('service_unavailable');
    expect(lossy.toLose).toBe(0);
    const after = await contentWithoutLogins(stack.db);
    const answers = [await call(withKey(key), api, center), await call(withKey(key), there, center)];
    expect(answers[0]!.status).toBe(200);
    expect(answers[0]!.body.code).toBe(id === 'addEmployees' ? '60027' : 0);
    expect(answers[1]).toMatchObject({ status: 200, body: answers[0]!.body });
    expect(answers[1]!.headers.get('x-request-id')).not.toBe(answers[0]!.headers.get('x-request-id'));
    expect(await contentWithoutLogins(stack.db)).toEqual(after);
  });
});

describe('a key', () => {
  it.each([
    ['7 characters', 'short-1'],
    ['256 characters', 'k'.repeat(256)],
    ['with a space', 'two parts'],
    ['not ASCII', 'clé-2c9d4f'],
  ])('is not %s', async (_, key) => {
    const headers = { 'Idempotency-Key': Buffer.from(key).toString('latin1') };
    const refused = await api.ask('takeAssetNumbers', { body: { size: 1 }, headers });
    expect(refusalOf(refused).cause).toBe('idempotency_key_malformed');
    const inMemberCenter = refusalOf(await center.submitAdd([newEmployee()], { headers }));
    expect(inMemberCenter).toMatchObject({ code: '40000', cause: 'idempotency_key_malformed' });
    // An operation that needs none ignores it.
    expect(dataOf(await center.edit(center.cloudId, { userName: await userName(), name: 'Kim' }, { headers }))).toBe(
      null,
    );
  });
  const userName = async () => (await center.listed(center.cloudId))!.userName;

  it.each([8, 255])('can have %i characters', async (length) => {
    const key = '!~'.repeat(128).slice(0, length);
    expect(dataOf(await take(1, key))).toEqual(dataOf(await take(1, key)));
  });

  it('belongs to one call: not with another body, query, path or operation', async () => {
    const key = randomUUID();
    const numbers = dataOf(await take(2, key));
    const ids = [await newWebhook(), await newWebhook()];
    const others = [
      () => take(3, key),
      () => create(withKey(key)),
      () => api.call('POST', `/webhooks/${ids[0]}/test`, withKey(key)),
    ];
    for (const other of others) expect(refusalOf(await other()).cause).toBe('idempotency_key_reused');
    expect(dataOf(await take(2, key, there))).toEqual(numbers);
    const test = (id: string) => api.call('POST', `/webhooks/${id}/test`, withKey(`${key}-test`));
    expect(dataOf(await test(ids[0]!))).toEqual(dataOf(await test(ids[0]!)));
    expect(refusalOf(await test(ids[1]!)).cause).toBe('idempotency_key_reused');
    const privileges = [{ memberGlobalId: await newMember(), deleteAssets: [], addAssets: [] }];
    const configure = (query: Record<string, string>) =>
      center.ask('configureEmployees', {}, { body: { privileges }, query, ...withKey(key) });
    dataOf(await configure({ preview: 'true' }));
    expect(refusalOf(await configure({}))).toMatchObject({ code: '40000', cause: 'idempotency_key_reused' });
  });

  it('belongs to one application, and in the member center to one of its enterprises', async () => {
    const key = randomUUID();
    const [own, others] = [dataOf(await take(2, key)), dataOf(await take(2, key, await stack.newApi()))];
    expect(others).not.toEqual(own);
    const other = await MemberCenter.open(stack, api);
    const userList = [newEmployee()];
    const [first, second] = [center, other].map((each) => each.submitAdd(userList, withKey(key)));
    const enterprises = [dataOf(await first!), dataOf(await second!)].map(({ succeeded }) => succeeded[0].enterpriseId);
    expect(enterprises).toEqual([center.enterpriseId, other.enterpriseId]);
  });

  it('is free after its day', async () => {
    const key = randomUUID();
    const age = (hours: number) =>
      sql`update kept_answer set kept_time = kept_time - make_interval(hours => ${hours})`.execute(stack.db);
    const numbers = dataOf(await take(2, key));
    await age(23);
    expect(dataOf(await take(2, key))).toEqual(numbers);
    await age(1);
    const later = dataOf(await take(3, key));
    expect(later).toHaveLength(3);
    expect(dataOf(await take(3, key, there))).toEqual(later);
  });

  it('stays free if the call is refused, also with data', async () => {
    const key = randomUUID();
    const id = await newWebhook();
    const disable = (disabled_time: Date | null) =>
      stack.db
        .updateTable('webhook')
        .set({ disabled_time, disabled_cause: disabled_time && 'endpoint_gone' })
        .where('id', '=', id as never)
        .execute();
    const test = () => api.call('POST', `/webhooks/${id}/test`, withKey(key));
    await disable(new Date());
    expect(refusalOf(await test()).cause).toBe('webhook_disabled');
    await disable(null);
    dataOf(await test());

    const employee = newEmployee();
    const [taken] = await center.add(employee);
    const add = () => center.submitAdd([employee], withKey(key));
    const refused = await add();
    expect([refused.status, refused.body.cause]).toEqual([299, 'account_taken']);
    expect(refused.body.data.failed).toHaveLength(1);
    dataOf(await center.delete(taken!.globalId));
    expect(dataOf(await add()).succeeded).toHaveLength(1);
  });

  it('makes a concurrent call in another process wait for the first, and answers it alike', async () => {
    const key = randomUUID();
    const before = await countHandedOut(stack.db, 8);
    const answers = await stack.db.transaction().execute(async (trx) => {
      await sql`select from asset_number for update`.execute(trx);
      const first = take(4, key);
      expect(await untilDoneOrWaiting(stack.db, first, 1)).toBe('waiting');
      const calls = [first, take(4, key, there), take(4, key)];
      expect(await untilDoneOrWaiting(stack.db, Promise.race(calls), 3)).toBe('waiting');
      return calls;
    });
    const numbers = numbersFrom('8', before + 1, 4);
    expect((await Promise.all(answers)).map(dataOf)).toEqual([numbers, numbers, numbers]);
    expect(await countHandedOut(stack.db, 8)).toBe(before + 4);
  });

  it('and a secret in the kept answer are stored and logged nowhere', async () => {
    const key = randomUUID();
    const { secret } = dataOf(await create(withKey(key)));
    expect(dataOf(await create(withKey(key))).secret).toBe(secret);
    const texts = [await storedText(stack.db), stack.logLines.join('')];
    for (const text of texts) {
      for (const hidden of [key, secret]) {
        expect(text).not.toContain(hidden);
        expect(text).not.toContain(Buffer.from(hidden).toString('hex'));
      }
    }
  });

  it('is refused beyond 100,000 kept answers of the application, but for repeats', async () => {
    const other = await stack.newApi();
    const key = randomUUID();
    const numbers = dataOf(await take(1, key, other));
    const applicationId = await applicationIdOf(stack.db, other.credentials);
    await sql`insert into kept_answer (application_id, key_hash, sealed)
      select ${applicationId}::bigint, sha256(int4send(n)), '' from generate_series(1, 99999) as n`.execute(stack.db);
    expect(refusalOf(await take(1, randomUUID(), other)).cause).toBe('overloaded');
    expect(dataOf(await take(1, key, other))).toEqual(numbers);
    dataOf(await take(1, randomUUID()));
  });
});
