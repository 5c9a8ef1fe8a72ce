import { randomUUID } from 'node:crypto';
import { repeatOf, type WebhookId } from '@lockstep/contract';
import { routes } from '@lockstep/contract/routes';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { applicationIdOf, contentWithoutLogins, storedText } from '../harness/databases/tables.ts';
import { untilDoneOrWaiting } from '../harness/databases/waiting.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
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

/** Method and path of a call, after the root of its module, and its body. */
type Call = [method: string, path: string, body?: object];

const take = (size: number): Call => ['POST', '/shellnums', { size }];
const CREATE: Call = ['POST', '/webhooks', { url: 'https://hooks.shop.example/lockstep' }];
const add = (...userList: object[]): Call => ['POST', `/enterprise/${center.enterpriseId}/member`, { userList }];

/** Makes a call with a key, if one is given, through an API. */
function send([method, path, body]: Call, key?: string, by = api, as = center): Promise<Answer> {
  const options = {
    ...(body && { body }),
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  };
  if (!path.startsWith('/enterprise')) return by.call(method, path, options);
  return (Object.assign(Object.create(as), { api: by }) as MemberCenter).call(method, path, options);
}
const sent = async (...call: Parameters<typeof send>) => dataOf(await send(...call));

/** Disables a webhook, or with null enables it. Returns its path. */
async function disable(path: string, disabled_time: Date | null = new Date()): Promise<string> {
  const disabled_cause = disabled_time && 'endpoint_gone';
  const id = path.split('/').at(-1) as WebhookId;
  await stack.db.updateTable('webhook').set({ disabled_time, disabled_cause }).where('id', '=', id).execute();
  return path;
}
const newWebhook = async () => `/webhooks/${(await sent(CREATE)).webhookId}`;
const newMember = async () => (await center.add())[0]!.globalId;
const memberPath = async () => `/enterprise/${center.enterpriseId}/member/${await newMember()}`;
const privileges = async (of = center) => ({
  deleteAssets: [],
  addAssets: (await of.buy()).map(({ assetNum }) => assetNum),
});

/** For each operation, a call. */
const CALLS: Record<string, () => Promise<Call>> = {
  takeAssetNumbers: async () => take(3),
  createWebhook: async () => CREATE,
  deleteWebhook: async () => ['DELETE', await newWebhook()],
  rotateWebhookSecret: async () => ['POST', `${await newWebhook()}/rotateSecret`],
  testWebhook: async () => ['POST', `${await newWebhook()}/test`],
  enableWebhook: async () => ['POST', `${await disable(await newWebhook())}/enable`],
  replayWebhook: async () => ['POST', `${await newWebhook()}/replay`, {}],
  resendDelivery: async () => {
    const path = await newWebhook();
    return ['POST', `${path}/deliveries/${(await sent(['POST', `${path}/test`])).deliveryId}/resend`];
  },
  addEmployees: async () => add(newEmployee(), newEmployee({ name: '' }), newEmployee()),
  resetPassword: async () => ['PUT', `${await memberPath()}/resetPassword`, { password: 'correct horse' }],
  deleteEmployee: async () => ['DELETE', await memberPath()],
  configureAssets: async () => ['POST', `/enterprise/member/${await newMember()}/privileges`, await privileges()],
  configureEmployees: async () => {
    const entries = [{ memberGlobalId: await newMember(), ...(await privileges()) }];
    return ['POST', `/enterprise/${center.enterpriseId}/privileges`, { privileges: entries }];
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
    expect(refusalOf(await send(call, key, unlucky)).cause).toBe('service_unavailable');
    expect(lossy.toLose).toBe(0);
    const after = await contentWithoutLogins(stack.db);
    const answers = [await send(call, key), await send(call, key, there)];
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
  ])('is not %s', async (_, text) => {
    const key = Buffer.from(text).toString('latin1');
    expect(refusalOf(await send(take(1), key)).cause).toBe('idempotency_key_malformed');
    expect(refusalOf(await send(add(newEmployee()), key))).toMatchObject({
      code: '40000',
      cause: 'idempotency_key_malformed',
    });
    // An operation that needs none ignores it.
    expect(refusalOf(await send(['POST', '/asset/lock', {}], key)).cause).toBe('field_missing');
  });

  it.each([8, 255])('can have %i characters', async (length) => {
    const key = '!~'.repeat(128).slice(0, length);
    expect(await sent(take(1), key)).toEqual(await sent(take(1), key));
  });

  it('belongs to one call: not with another body, query, path or operation', async () => {
    const key = randomUUID();
    const test: Call = ['POST', `${await newWebhook()}/test`];
    const numbers = await sent(take(2), key);
    for (const other of [take(3), CREATE, test])
      expect(refusalOf(await send(other, key)).cause).toBe('idempotency_key_reused');
    expect(await sent(take(2), key, there)).toEqual(numbers);
    await sent(test, `${key}-test`);
    const elsewhere: Call = ['POST', `${await newWebhook()}/test`];
    expect(refusalOf(await send(elsewhere, `${key}-test`)).cause).toBe('idempotency_key_reused');
    const [method, path, body] = await CALLS.configureEmployees!();
    const options = { body, headers: { 'Idempotency-Key': key } };
    dataOf(await center.call(method, path, { ...options, query: { preview: 'true' } }));
    const without = refusalOf(await center.call(method, path, options));
    expect(without).toMatchObject({ code: '40000', cause: 'idempotency_key_reused' });
  });

  it('belongs to one application, and in the member center to one of its enterprises', async () => {
    const key = randomUUID();
    expect(await sent(take(2), key, await stack.newApi())).not.toEqual(await sent(take(2), key));
    const other = await MemberCenter.open(stack, api);
    const assign = async (as: MemberCenter) =>
      await sent(['POST', `/enterprise/member/${as.cloudId}/privileges`, await privileges(as)], key, api, as);
    expect([await assign(center), await assign(other)]).toEqual([null, null]);
  });

  it('is free after its day', async () => {
    const key = randomUUID();
    const age = (hours: number) =>
      sql`update kept_answer set kept_time = kept_time - make_interval(hours => ${hours})`.execute(stack.db);
    const numbers = await sent(take(2), key);
    await age(23);
    expect(await sent(take(2), key)).toEqual(numbers);
    await age(1);
    const later = await sent(take(3), key);
    expect(later).toHaveLength(3);
    expect(await sent(take(3), key, there)).toEqual(later);
  });

  it('stays free if the call is refused, also with data', async () => {
    const key = randomUUID();
    const path = await disable(await newWebhook());
    expect(refusalOf(await send(['POST', `${path}/test`], key)).cause).toBe('webhook_disabled');
    await disable(path, null);
    await sent(['POST', `${path}/test`], key);

    const employee = newEmployee();
    const [taken] = await center.add(employee);
    const refused = await send(add(employee), key);
    expect([refused.status, refused.body.cause]).toEqual([299, 'account_taken']);
    expect(refused.body.data.failed).toHaveLength(1);
    dataOf(await center.delete(taken!.globalId));
    expect((await sent(add(employee), key)).succeeded).toHaveLength(1);
  });

  it.each([
    ['answered', 'account_taken', api],
    ['not answered', 'service_unavailable', unlucky],
  ])('of a call that is refused with data, whose commit is %s, is recorded once, as %s', async (_, cause, by) => {
    const taken = newEmployee();
    await center.add(taken);
    lossy.toLose = by === unlucky ? 1 : 0;
    const refused = await send(add(taken), randomUUID(), by);
    expect([refused.body.cause, lossy.toLose]).toEqual([cause, 0]);
    const query = { requestId: refused.headers.get('x-request-id')! };
    const found = await vi.waitFor(async () => {
      const { refusals } = dataOf(await api.ask('listRefusals', { query }));
      expect(refusals).not.toEqual([]);
      return refusals;
    }, 10_000);
    expect(found).toMatchObject([{ cause }]);
  });

  it('makes a concurrent call in another process wait for the first, and answers it alike', async () => {
    const key = randomUUID();
    const before = await countHandedOut(stack.db, 8);
    const answers = await stack.db.transaction().execute(async (trx) => {
      await sql`select from asset_number for update`.execute(trx);
      const first = send(take(4), key);
      expect(await untilDoneOrWaiting(stack.db, first, 1)).toBe('waiting');
      const calls = [first, send(take(4), key, there), send(take(4), key)];
      expect(await untilDoneOrWaiting(stack.db, Promise.race(calls), 3)).toBe('waiting');
      return calls;
    });
    const numbers = numbersFrom('8', before + 1, 4);
    expect((await Promise.all(answers)).map(dataOf)).toEqual([numbers, numbers, numbers]);
    expect(await countHandedOut(stack.db, 8)).toBe(before + 4);
  });

  it('and a secret in the kept answer are stored and logged nowhere', async () => {
    const key = randomUUID();
    const { secret } = await sent(CREATE, key);
    expect((await sent(CREATE, key)).secret).toBe(secret);
    const texts = [await storedText(stack.db), stack.logLines.join('')];
    for (const text of texts) {
      for (const hidden of [key, secret]) {
        expect(text).not.toContain(hidden);
        expect(text).not.toContain(Buffer.from(hidden).toString('hex'));
      }
    }
  });

  it('finds an answer in the form that is stored, and none that a newer release kept', async () => {
    await sent(take(1));
    const other = await stack.newApi();
    const applicationId = await applicationIdOf(stack.db, other.credentials);
    const [keyHash, sealed] = [
      '8a91d34c0521c01843321dcab9edc5a374057ccefcc8fd631cd19312a960459f',
      '018ad91319f64266ae9011f430821ed37795efdcde1aaaf90241c3a1e144c790bb0145caf69ad31deac6f570bb7a7fd53c2cd94d12' +
        'e5480ba77f8ffc5d61c528b164638821b66914636a177dfa9a2201b933f085ab',
    ];
    await sql`insert into kept_answer (application_id, key_hash, sealed)
      values (${applicationId}, decode(${keyHash}, 'hex'), decode(${sealed}, 'hex'))`.execute(stack.db);
    expect(await sent(take(1))).not.toEqual(['8000000001']);
    expect(await sent(take(1), 'a-key-of-version-1', other)).toEqual(['8000000001']);
    await sql`
      update kept_answer set sealed = set_byte(sealed, 0, 2) where application_id = ${applicationId}`.execute(stack.db);
    expect(refusalOf(await send(take(1), 'a-key-of-version-1', other)).cause).toBe('overloaded');
  });

  it('is refused beyond 100,000 kept answers of the application, but for repeats', async () => {
    const other = await stack.newApi();
    const key = randomUUID();
    const numbers = await sent(take(1), key, other);
    const applicationId = await applicationIdOf(stack.db, other.credentials);
    await sql`insert into kept_answer (application_id, key_hash, sealed)
      select ${applicationId}::bigint, sha256(int4send(n)), '' from generate_series(1, 99999) as n`.execute(stack.db);
    expect(refusalOf(await send(take(1), randomUUID(), other)).cause).toBe('overloaded');
    expect(await sent(take(1), key, other)).toEqual(numbers);
    await sql`update kept_answer set kept_time = kept_time - interval '24 hours' where sealed <> ''`.execute(stack.db);
    expect(await sent(take(1), key, other)).not.toEqual(numbers);
    await sent(take(1), randomUUID());
  });
});
