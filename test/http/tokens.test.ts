import { createHash, randomBytes } from 'node:crypto';
import { type Credentials, MAX_CLIENT_TOKENS, MAX_USER_TOKENS } from '@lockstep/access';
import { operations } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { askUserToken, MemberCenter } from '../harness/members/member-center.ts';
import { request, sendRaw } from '../harness/network/raw-http.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack } from '../harness/stack.ts';

/**
 * The number of valid tokens is limited per application, and per user through one application; beyond that, the oldest
 * end (rules 2). Also tests where OAuth clients find the token endpoint.
 */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);

const sha256 = (text: string) => createHash('sha256').update(text).digest();

async function ask(form: Record<string, string>, { appKey, appSecret }: Credentials): Promise<string> {
  const response = await fetch(stack.baseUrl + operations.issueToken.path, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}` },
    body: new URLSearchParams(form),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}

const askClientToken = (client: Credentials) => ask({ grant_type: 'client_credentials' }, client);
const logIn = (scope = '') => {
  const user = { username: center.account, password: center.password };
  return ask({ grant_type: 'password', scope, ...user }, center.api.credentials);
};

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
  const rows = await stack.db
    .selectFrom('access_token')
    .select('token_hash')
    .where('token_hash', 'in', hashes)
    .execute();
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
  const token = await askClientToken(credentials);
  expect(await areLive([oldest!, second!, ...others, token, ...other])).toEqual([
    false,
    ...Array.from({ length: MAX_CLIENT_TOKENS }, () => true),
  ]);
});

it('after any number of concurrent requests, the next one ends the excess tokens', async () => {
  const { credentials } = await stack.newApi();
  await seed(credentials, MAX_CLIENT_TOKENS);
  const tokens = await Promise.all(Array.from({ length: 60 }, () => askClientToken(credentials)));
  const last = await askClientToken(credentials);
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

it('a user token requested without auth_me is issued, but not accepted by the member center', async () => {
  const userToken = await logIn('auth_order');
  const answer = await center.submitList({ pageNum: '1', pageSize: '1' }, { userToken });
  expect(refusalOf(answer)).toMatchObject({ code: '60005', cause: 'user_token_invalid' });
  const both = await logIn('auth_order auth_me');
  dataOf(await center.submitList({ pageNum: '1', pageSize: '1' }, { userToken: both }));
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
    const { appKey, appSecret } = (await stack.newApi()).credentials;
    for (const grant_type of metadata.grant_types_supported) {
      const headers = { authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}` };
      const answer = await fetch(metadata.token_endpoint, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ grant_type, username: 'nobody@nowhere1', password: 'correct horse' }),
      });
      expect(await answer.json()).not.toMatchObject({ error: 'unsupported_grant_type' });
    }
    expect((await fetch(metadata.service_documentation)).status).toBe(200);
  });

  it('ignores the host in the request, and is not cached', async () => {
    const [answer] = await sendRaw(
      stack.baseUrl,
      request(`GET ${PATH} HTTP/1.1`, 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https').replace(
        'Host: a',
        'Host: evil.example',
      ),
    );
    expect(JSON.parse(answer!.body)).toEqual(metadataOf(stack.baseUrl));
    expect(answer!.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['https://example.com', [PATH]],
    ['https://example.com/lock%20step/v:2', [PATH, `${PATH}/lock%20step/v:2`]],
  ])('has PUBLIC_URL %s as issuer, and is where clients look for it', async (publicUrl, paths) => {
    const { api: other, close } = await startAnotherApi(stack, await stack.newApi(), { publicUrl });
    try {
      for (const path of paths) {
        expect(await (await fetch(`${other.baseUrl}${path}`)).json()).toEqual(metadataOf(publicUrl));
      }
      expect((await fetch(`${other.baseUrl}${PATH}/elsewhere`)).status).toBe(404);
      expect((await fetch(`${other.baseUrl}${PATH}`, { method: 'POST' })).status).toBe(405);
    } finally {
      await close();
    }
  });
});
