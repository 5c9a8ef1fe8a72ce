import { createHash, randomBytes } from 'node:crypto';
import {
  type Credentials,
  createApplication,
  listApplications,
  MAX_CLIENT_TOKENS,
  MAX_USER_TOKENS,
  rotateSecret,
} from '@lockstep/access';
import { operations, TokenAnswer } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, Api, dataOf, refusalOf } from '../harness/api.ts';
import { storedText } from '../harness/databases/tables.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { request, sendRaw } from '../harness/network/raw-http.ts';
import { askClientToken, askUserToken, basicOf, requestToken } from '../harness/oauth.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/**
 * The number of valid tokens is limited per application, and per user through one application; beyond that, the oldest
 * end (rules 2). Also tests where OAuth clients find the token endpoint.
 */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const tokenIn = async (answer: Promise<Answer>) => TokenAnswer.parse((await answer).body).access_token;
const askToken = (client: Credentials) => askClientToken(stack.baseUrl, client);
const logIn = () => tokenIn(askUserToken(stack.baseUrl, center.api.credentials, center));

/** Stores tokens issued one second apart, the last one an hour ago. Returns them oldest first. */
async function seed(client: Credentials, count: number, memberId: string | null = null): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomBytes(8).toString('hex'));
  await sql`
    insert into access_token (token_hash, application_id, generation, member_id, scopes, expires_time)
    select token_hash, id, token_generation, ${memberId}, scopes,
      now() + interval '1 hour' + make_interval(secs => ordinal - ${count})
    from unnest(${tokens.map(sha256)}::bytea[]) with ordinality as issued (token_hash, ordinal), application
    where app_key = ${client.appKey}`.execute(stack.db);
  return tokens;
}

async function areLive(tokens: string[]): Promise<boolean[]> {
  const hashes = tokens.map(sha256);
  const query = stack.db.selectFrom('access_token').select('token_hash').where('token_hash', 'in', hashes);
  const rows = await query.execute();
  const live = new Set(rows.map(({ token_hash }) => token_hash.toString('hex')));
  return hashes.map((hash) => live.has(hash.toString('hex')));
}

/** Counts the valid tokens of an application, or of a user through any application. */
async function countLive(client: Credentials, memberId: string | null = null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from access_token join application on application.id = application_id
    where app_key = ${client.appKey} and member_id is not distinct from ${memberId}`.execute(stack.db);
  return rows[0]!.count;
}

it('the oldest token of an application ends when it requests one above the limit, and no other one does', async () => {
  const { credentials } = await stack.newApi();
  const [oldest, second, ...others] = await seed(credentials, MAX_CLIENT_TOKENS - 1);
  const other = await seed(center.api.credentials, 1);
  const token = await tokenIn(askToken(credentials));
  expect(await areLive([oldest!, second!, ...others, token, ...other])).toEqual([
    false,
    ...Array.from({ length: MAX_CLIENT_TOKENS }, () => true),
  ]);
});

it('after any number of concurrent requests, the next one ends the excess tokens', async () => {
  const { credentials } = await stack.newApi();
  await seed(credentials, MAX_CLIENT_TOKENS);
  const tokens = await Promise.all(Array.from({ length: 60 }, () => tokenIn(askToken(credentials))));
  const last = await tokenIn(askToken(credentials));
  expect(await countLive(credentials)).toBe(MAX_CLIENT_TOKENS);
  expect(await areLive([...tokens, last])).not.toContain(false);
});

it('the same limit holds for a user’s tokens through one application, which are counted separately', async () => {
  const client = center.api.credentials;
  const seeded = await seed(client, MAX_USER_TOKENS, center.adminId);
  const own = await countLive(client);
  const userToken = await logIn();
  expect(await countLive(client, center.adminId)).toBe(MAX_USER_TOKENS);
  expect(await countLive(client)).toBe(own);
  // The first of them is that of center.open, which is younger than the stored ones.
  expect(await areLive([seeded[0]!, seeded[1]!, seeded[2]!, center.userToken])).toEqual([false, false, true, true]);
  dataOf(await center.submitList({ pageNum: '1', pageSize: '1' }, { userToken }));
});

it('a user’s token through another application stays valid', async () => {
  const other = await stack.newApi();
  const { body } = await askUserToken(stack.baseUrl, other.credentials, center);
  await seed(center.api.credentials, MAX_USER_TOKENS, center.adminId);
  await logIn();
  expect(await areLive([body.access_token])).toEqual([true]);
});

describe('/.well-known/oauth-authorization-server', () => {
  const PATH = '/.well-known/oauth-authorization-server';
  const metadataOf = (issuer: string) => ({
    issuer,
    token_endpoint: `${issuer}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials', 'password'],
    scopes_supported: ['auth_order', 'auth_me'],
    response_types_supported: [],
    service_documentation: `${issuer}/docs`,
  });

  it('tells OAuth clients where and how to get tokens (RFC 8414)', async () => {
    const response = await fetch(`${stack.baseUrl}${PATH}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const metadata = (await response.json()) as ReturnType<typeof metadataOf>;
    expect(metadata).toEqual(metadataOf(stack.baseUrl));
    expect(metadata.token_endpoint).toBe(stack.baseUrl + operations.issueToken.path);
    const { credentials } = await stack.newApi();
    for (const grant_type of metadata.grant_types_supported) {
      const form = { grant_type, username: 'nobody@nowhere1', password: 'correct horse' };
      const { body } = await requestToken(stack.baseUrl, form, basicOf(credentials));
      expect(body).not.toMatchObject({ error: 'unsupported_grant_type' });
    }
    expect((await fetch(metadata.service_documentation)).status).toBe(200);
  });

  it('ignores the host in the request, and is not cached', async () => {
    const call = request(`GET ${PATH} HTTP/1.1`, 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https');
    const [answer] = await sendRaw(stack.baseUrl, call.replace('Host: a', 'Host: evil.example'));
    expect(JSON.parse(answer!.body)).toEqual(metadataOf(stack.baseUrl));
    expect(answer!.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['https://example.com', [PATH]],
    ['https://example.com/lock%20step/v:2', [PATH, `${PATH}/lock%20step/v:2`]],
  ])('has PUBLIC_URL %s as issuer, and is where clients look for it', async (publicUrl, paths) => {
    const { api: other } = await untilTestsEnd(startAnotherApi(stack, await stack.newApi(), { publicUrl }));
    for (const path of paths) {
      expect(await (await fetch(`${other.baseUrl}${path}`)).json()).toEqual(metadataOf(publicUrl));
    }
    expect((await fetch(`${other.baseUrl}${PATH}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${other.baseUrl}${PATH}`, { method: 'POST' })).status).toBe(405);
  });
});

const newApplication = (): Promise<Credentials> =>
  createApplication(stack.db, { name: 'Turning', scopes: ['auth_order', 'auth_me'], approved: true });

async function rotate({ appKey }: Credentials, overlapHours: number): Promise<Credentials> {
  const rotated = await rotateSecret(stack.db, appKey, overlapHours);
  expect(rotated).toEqual({ appKey, appSecret: expect.stringMatching(/^[\w-]{43}$/) });
  return rotated!;
}

/** Returns for each secret whether it is valid. */
async function good(...each: Credentials[]): Promise<boolean[]> {
  const answers = await Promise.all(each.map(askToken));
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.error]).toEqual([401, 'invalid_client']);
  }
  return answers.map(({ status }) => status === 200);
}

const listed = async ({ appKey }: Credentials) =>
  (await listApplications(stack.db)).find((application) => application.appKey === appKey)!;

/** Makes the overlap of an application end. */
const passOverlap = ({ appKey }: Credentials) =>
  sql`update application set old_secret_end_time = now() where app_key = ${appKey}`.execute(stack.db);

describe('after a rotation of its secret, of an application nothing else changes (rules 2):', () => {
  it('both secrets are valid until the overlap ends, then only the new one', async () => {
    const first = await newApplication();
    const second = await rotate(first, 24);
    expect(second.appSecret).not.toBe(first.appSecret);
    expect(await good(first, second)).toEqual([true, true]);
    const answers = await Promise.all([first, second].map(askToken));
    for (const { body } of answers) expect(TokenAnswer.parse(body)).toMatchObject({ scope: 'auth_order auth_me' });
    const old = await Api.logIn(stack.baseUrl, first);
    expect(dataOf(await old.ask('takeAssetNumbers', { body: { size: 1 } }))).toHaveLength(1);
    await passOverlap(first);
    expect(await good(first, second)).toEqual([false, true]);
    expect(await listed(first)).toMatchObject({ oldSecretEndTime: null });
  });

  it('an overlap of 0 ends the old secret at once, and one from before with it', async () => {
    const first = await newApplication();
    const second = await rotate(first, 720);
    const third = await rotate(second, 0);
    expect(await good(first, second, third)).toEqual([false, false, true]);
    expect(await listed(first)).toMatchObject({ oldSecretEndTime: null });
    // The old secret is deleted, so setting the clock back can't make it valid again.
    const kept = stack.db.selectFrom('application').select('old_secret_hash').where('app_key', '=', first.appKey);
    expect(await kept.execute()).toEqual([{ old_secret_hash: null }]);
  });

  it('a second rotation ends the oldest secret: two are valid at once', async () => {
    const first = await newApplication();
    const second = await rotate(first, 720);
    const third = await rotate(second, 1);
    expect(await good(first, second, third)).toEqual([false, true, true]);
  });

  it('after two concurrent rotations, two of the three secrets are valid, including the last', async () => {
    const first = await newApplication();
    const others = await Promise.all([rotate(first, 24), rotate(first, 24)]);
    expect((await good(first, ...others)).toSorted()).toEqual([false, true, true]);
    expect(await good(...others)).toEqual([true, true]);
  });

  it.each([1, 24, 720])('the old secret ends %s hours later', async (hours) => {
    const application = await newApplication();
    const before = Date.now();
    await rotate(application, hours);
    const end = (await listed(application)).oldSecretEndTime!.getTime() - hours * 3_600_000;
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(Date.now());
  });

  it('both secrets are valid for logins too, for as long', async () => {
    const center = await MemberCenter.open(stack);
    const { credentials: first } = center.api;
    const second = await rotate(first, 24);
    const logIn = async (credentials: Credentials) => (await askUserToken(stack.baseUrl, credentials, center)).status;
    expect([await logIn(first), await logIn(second)]).toEqual([200, 200]);
    await passOverlap(first);
    expect([await logIn(first), await logIn(second)]).toEqual([401, 200]);
  });

  it('earlier tokens stay valid with an overlap, also those of users', async () => {
    const center = await MemberCenter.open(stack);
    await rotate(center.api.credentials, 1);
    expect(await center.list()).toHaveLength(2);
    expect(await center.api.newCustomer()).toMatchObject({ channelCode: 'test' });
  });

  it('earlier tokens are revoked with an overlap of 0, also those of users', async () => {
    const center = await MemberCenter.open(stack);
    const rotated = await rotate(center.api.credentials, 0);
    expect(refusalOf(await center.submitList({}))).toMatchObject({ code: '60000', cause: 'token_invalid' });
    const { token } = await Api.logIn(stack.baseUrl, rotated);
    const answer = await center.submitList({}, { token, clientToken: token });
    expect(refusalOf(answer)).toMatchObject({ code: '60005', cause: 'user_token_invalid' });
  });

  it('an application that is not approved does not become so', async () => {
    const pending = await createApplication(stack.db, { name: 'Pending', scopes: ['auth_order'], approved: false });
    const answer = await askToken(await rotate(pending, 24));
    expect([answer.status, answer.body.error]).toEqual([400, 'unauthorized_client']);
  });

  it('the secrets do not appear in the database or in lists', async () => {
    const first = await newApplication();
    const second = await rotate(first, 24);
    const stored = `${await storedText(stack.db)} ${JSON.stringify(await listApplications(stack.db))}`;
    for (const { appSecret } of [first, second]) expect(stored).not.toContain(appSecret);
    expect(JSON.stringify(await listApplications(stack.db))).not.toMatch(/hash/i);
  });

  it('a resubmitted batch is the same batch, whereas a second application would buy everything twice', async () => {
    const api = await stack.newApi();
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const batch = { ...batchOf(newBuy(customer, [assetNum])), syncMode: 'sync' };
    const answered = await api.accept(batch);
    const productsOn = async (by: Api) => dataOf(await by.call('GET', `/asset/${assetNum}`)).products;

    const rotated = await Api.logIn(stack.baseUrl, await rotate(api.credentials, 0));
    expect(await rotated.accept(batch)).toEqual(answered);
    expect(await rotated.completed(batch)).toMatchObject({ succeeded: 1, orders: [answered[0]] });
    expect(await productsOn(rotated)).toHaveLength(1);

    const second = await stack.newApi();
    expect(await second.accept(batch)).not.toEqual(answered);
    expect(await productsOn(second)).toHaveLength(2);
  });
});
