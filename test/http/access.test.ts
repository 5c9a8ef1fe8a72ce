import { randomBytes, randomUUID } from 'node:crypto';
import { type Credentials, createApplication, setApplicationStatus } from '@lockstep/access';
import type { Scope } from '@lockstep/contract';
import { inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { Api, dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { storedText } from '../harness/databases/tables.ts';
import { countWaiting } from '../harness/databases/waiting.ts';
import { basic, basicOf, expectOAuthError, expectToken, inBody, requestToken } from '../harness/oauth.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

const { stack, api } = await testStack();

const GRANT = { grant_type: 'client_credentials' };
const CHARSET = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

const newApplication = (application: { scopes?: Scope[]; approved?: boolean } = {}): Promise<Credentials> =>
  createApplication(stack.db, { name: 'Test', scopes: ['auth_order', 'auth_me'], approved: true, ...application });

const grantOf = (own: Credentials) => ({ ...GRANT, ...inBody(own) });
const ask = (form: Form, headers?: Record<string, string>) => requestToken(stack.baseUrl, form, headers);
type Form = Parameters<typeof requestToken>[1];
type FormOf = (own: Credentials) => Form;
type HeadersOf = (own: Credentials) => Record<string, string>;

const READ = '/enterprise/user/query';
const READ_QUERY = { channelCode: 'test', channelCustomerId: 'nobody', defaultCustomer: 'N' };

/** A call that changes nothing. */
const read = (caller: Api, options: { nonce?: string | null; token?: string | null } = {}) =>
  caller.call('GET', READ, { query: READ_QUERY, ...options });

describe('the token endpoint issues a token', () => {
  it('to a client that authenticates by HTTP Basic', async () => {
    const token = expectToken(await ask(GRANT, basicOf(api.credentials)));
    expect(dataOf(await read(api, { token }))).toEqual([]);
  });

  it.each<[how: string, form: Form, headers: HeadersOf]>([
    ['the scheme in different case', GRANT, (own) => ({ authorization: basicOf(own).authorization.replace('B', 'b') })],
    ['a form-encoded ID', GRANT, (own) => basic(own.appKey.replace('_', '%5F'), own.appSecret)],
    ['a charset in the content type', GRANT, (own) => ({ ...basicOf(own), ...CHARSET })],
    ['an unknown parameter', { ...GRANT, audience: 'x' }, basicOf],
    ['empty parameters, which count as omitted', { ...GRANT, client_id: '', client_secret: '', scope: '' }, basicOf],
  ])('with %s', async (_how, form, headers) => {
    expect((await ask(form, headers(api.credentials))).body).toMatchObject({ scope: 'auth_order auth_me' });
  });

  it.each(['auth_order', 'auth_me', 'auth_me auth_order'])('for the scope %s', async (scope) => {
    expect((await ask({ ...grantOf(api.credentials), scope })).body).toMatchObject({ scope });
  });
});

describe('the token endpoint refuses', () => {
  it.each<[what: string, form: FormOf, headers: HeadersOf]>([
    ['a client that authenticates in both ways', grantOf, basicOf],
    ['a missing grant_type', inBody, () => ({})],
    ['an empty grant_type', (own) => ({ ...grantOf(own), grant_type: '' }), () => ({})],
    ['an empty body', () => '', basicOf],
    ['a JSON body', (own) => JSON.stringify(grantOf(own)), () => ({ 'content-type': 'application/json' })],
    [
      'a form with a text content type',
      (own) => new URLSearchParams(grantOf(own)).toString(),
      () => ({ 'content-type': 'text/plain' }),
    ],
    ['grant_type twice', (own) => `${new URLSearchParams(grantOf(own))}&grant_type=client_credentials`, () => ({})],
    ['client_id twice', (own) => `${new URLSearchParams(grantOf(own))}&client_id=${own.appKey}`, () => ({})],
    ['client_secret twice', (own) => `${new URLSearchParams(grantOf(own))}&client_secret=${own.appSecret}`, () => ({})],
    ['scope twice', () => 'grant_type=client_credentials&scope=auth_me&scope=auth_order', basicOf],
    ['a body of 1 MiB', (own) => ({ ...grantOf(own), padding: 'x'.repeat(2 ** 20) }), () => ({})],
  ])('%s as an invalid_request', async (_what, form, headers) => {
    const answer = await ask(form(api.credentials), headers(api.credentials));
    expectOAuthError(answer, 400, 'invalid_request');
  });

  it.each(['authorization_code', 'refresh_token', 'implicit', 'CLIENT_CREDENTIALS', 'client_credentials '])(
    'the grant type "%s"',
    async (grant_type) => {
      const answer = await ask({ ...grantOf(api.credentials), grant_type });
      expectOAuthError(answer, 400, 'unsupported_grant_type');
    },
  );

  it.each<[what: string, form: FormOf, headers: HeadersOf]>([
    ['a wrong secret by Basic', () => GRANT, (own) => basic(own.appKey, 'wrong')],
    ['a wrong secret in the body', (own) => ({ ...grantOf(own), client_secret: 'wrong' }), () => ({})],
    ['an empty secret', () => GRANT, (own) => basic(own.appKey, '')],
    [
      'a secret with one character more',
      (own) => ({ ...grantOf(own), client_secret: `${own.appSecret}x` }),
      () => ({}),
    ],
    ['an unknown client by Basic', () => GRANT, (own) => basic('app_unknown', own.appSecret)],
    ['an unknown client in the body', (own) => ({ ...grantOf(own), client_id: 'app_unknown' }), () => ({})],
    ['a client ID in different case', (own) => ({ ...grantOf(own), client_id: own.appKey.toUpperCase() }), () => ({})],
    ['no client', () => GRANT, () => ({})],
    ['a client id without a secret', (own) => ({ ...GRANT, client_id: own.appKey }), () => ({})],
    ['a secret without a client id', (own) => ({ ...GRANT, client_secret: own.appSecret }), () => ({})],
    ['a bearer token for credentials', () => GRANT, () => ({ authorization: `Bearer ${api.token}` })],
    ['Basic without a colon', () => GRANT, () => ({ authorization: `Basic ${btoa('nocolon')}` })],
    ['Basic that is not base64', () => GRANT, () => ({ authorization: 'Basic !!!' })],
    ['Basic without credentials', () => GRANT, () => ({ authorization: 'Basic' })],
    ['U+0000 in the client id by Basic', () => GRANT, (own) => basic(`${own.appKey}\u0000`, own.appSecret)],
    ['U+0000 in the client id in the body', (own) => ({ ...grantOf(own), client_id: 'app\u0000' }), () => ({})],
    ['U+0000 in the secret', (own) => ({ ...grantOf(own), client_secret: '\u0000' }), () => ({})],
    ['a client id of 10,000 characters', (own) => ({ ...grantOf(own), client_id: 'x'.repeat(10_000) }), () => ({})],
  ])('%s as an invalid_client', async (_what, form, headers) => {
    const answer = await ask(form(api.credentials), headers(api.credentials));
    expectOAuthError(answer, 401, 'invalid_client');
  });

  it('a wrong secret and an unknown client with the same answer', async () => {
    const [wrong, unknown] = [api.credentials.appKey, 'app_unknown'].map((id) => ask(GRANT, basic(id, 'wrong')));
    expect((await unknown!).body).toEqual((await wrong!).body);
  });

  it.each(['auth_all', 'auth_order auth_all', 'AUTH_ORDER', 'auth_order,auth_me'])('the scope %s', async (scope) => {
    expectOAuthError(await ask({ ...grantOf(api.credentials), scope }), 400, 'invalid_scope');
  });

  it.each(['auth_me', 'auth_order auth_me'])('the scope %s, of which the application has less', async (scope) => {
    const own = await newApplication({ scopes: ['auth_order'] });
    expectOAuthError(await ask({ ...grantOf(own), scope }), 400, 'invalid_scope');
  });

  it('a pending application, until it is approved, and one that is suspended', async () => {
    const own = await newApplication({ approved: false });
    expectOAuthError(await ask(grantOf(own)), 400, 'unauthorized_client');
    // Only who knows the secret learns that it is pending.
    expectOAuthError(await ask(GRANT, basic(own.appKey, 'wrong')), 401, 'invalid_client');
    await setApplicationStatus(stack.db, own.appKey, 'approved');
    expect((await ask(grantOf(own))).status).toBe(200);
    await setApplicationStatus(stack.db, own.appKey, 'suspended');
    expectOAuthError(await ask(GRANT, basicOf(own)), 400, 'unauthorized_client');
  });
});

/** Returns a client whose token expires after an interval. */
async function newApiWithToken(interval: string): Promise<Api> {
  const own = await stack.newApi();
  await sql`
    update access_token set expires_time = now() + ${interval}::interval from application
    where application.id = application_id and app_key = ${own.credentials.appKey}`.execute(stack.db);
  return own;
}

/** Makes a call with an unchanged Authorization header. */
const withHeader = (authorization: string) =>
  api.call('GET', READ, { query: READ_QUERY, token: null, headers: { authorization } });

describe('a call is refused with 60000', () => {
  it.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Token abc', 'Bearer two words', 'Bearer "quoted"', 'Bearer é'])(
    'with Authorization "%s"',
    async (authorization) => {
      expect(refusalOf(await withHeader(authorization))).toMatchObject({ code: '60000', cause: 'token_missing' });
    },
  );

  it('with the token in the query', async () => {
    const answer = await api.call('GET', READ, { query: { ...READ_QUERY, access_token: api.token }, token: null });
    expect(refusalOf(answer)).toMatchObject({ code: '60000', cause: 'token_missing' });
  });

  it.each<[what: string, token: (own: Api) => string]>([
    ['is unknown', () => randomBytes(32).toString('base64url')],
    ['has one character more', (own) => `${own.token}x`],
    ['has one character less', (own) => own.token.slice(0, -1)],
    ['is the application’s secret', (own) => own.credentials.appSecret],
    ['is a single letter', () => 'a'],
    ['is 4,000 characters long', () => 'a'.repeat(4_000)],
  ])('with a token that %s', async (_what, token) => {
    expect(refusalOf(await read(api, { token: token(api) }))).toMatchObject({ code: '60000', cause: 'token_invalid' });
  });

  it('with a token that has expired', async () => {
    const own = await newApiWithToken('0');
    expect(refusalOf(await read(own))).toMatchObject({ code: '60000', cause: 'token_invalid' });
  });

  it('without the scope, if the application lacks it', async () => {
    const own = await stack.newApi(['auth_me']);
    expect(refusalOf(await read(own))).toMatchObject({ code: '60000', cause: 'scope_missing' });
  });

  it('without the scope, if the token was not issued for it', async () => {
    const { body } = await ask({ ...grantOf(api.credentials), scope: 'auth_me' });
    const answer = await read(api, { token: body.access_token });
    expect(refusalOf(answer)).toMatchObject({ code: '60000', cause: 'scope_missing' });
  });

  it.each(['suspended', 'pending'] as const)(
    'when the application is %s, and with that token forever, even when it is approved again',
    async (status) => {
      const own = await stack.newApi();
      expect(dataOf(await read(own))).toEqual([]);
      await setApplicationStatus(stack.db, own.credentials.appKey, status);
      expect(refusalOf(await read(own))).toMatchObject({ code: '60000', cause: 'application_not_approved' });
      await setApplicationStatus(stack.db, own.credentials.appKey, 'approved');
      expect(refusalOf(await read(own))).toMatchObject({ code: '60000', cause: 'token_invalid' });
      expect(dataOf(await read(await Api.logIn(stack.baseUrl, own.credentials)))).toEqual([]);
    },
  );

  it('when the application was suspended and approved again between request and issue of the token', async () => {
    const own = await newApplication();
    const asked = await inTransaction(stack.db, async (trx) => {
      await sql`lock table access_token in share mode`.execute(trx);
      const asking = ask(grantOf(own));
      await expect.poll(() => countWaiting(stack.db, 'relation')).toBe(1);
      await setApplicationStatus(stack.db, own.appKey, 'suspended');
      await setApplicationStatus(stack.db, own.appKey, 'approved');
      return { asking };
    });
    const { status, body } = await asked.asking;
    expect(status).toBe(200);
    expect(refusalOf(await read(api, { token: body.access_token }))).toMatchObject({ cause: 'token_invalid' });
  });

  it('before the content is checked', async () => {
    const answer = await api.ask('createBatchOrder', { rawBody: 'not json', token: 'unknown', nonce: null });
    expect(refusalOf(answer)).toMatchObject({ code: '60000', cause: 'token_invalid' });
  });
});

describe('a call is accepted', () => {
  it.each(['bearer', 'BEARER', 'Bearer  '])('with the scheme written "%s"', async (scheme) => {
    expect(dataOf(await withHeader(`${scheme} ${api.token}`))).toEqual([]);
  });

  it('in the last minute of its token', async () => {
    const own = await newApiWithToken('1 minute');
    expect(dataOf(await read(own))).toEqual([]);
  });
});

describe('g_nonce', async () => {
  /** The same caller at another API process of the same service. */
  const { api: there } = await untilTestsEnd(startAnotherApi(stack, api));

  /** Makes the application's nonce older by an interval. */
  const age = async (nonce: string, interval: string) => {
    const used_time = sql<Date>`now() - ${interval}::interval`;
    const result = await stack.db.updateTable('nonce').set({ used_time }).where('nonce', '=', nonce).executeTakeFirst();
    expect(result.numUpdatedRows).toBe(1n);
  };
  const REPLAYED = { code: '13004', cause: 'nonce_replayed' };

  it.each([
    '1234567',
    'a'.repeat(65),
    ...['with blank', 'dotted.nonce', 'plus+plus+', 'slash/slash', 'umlautäöü', '１２３４５６７８', 'nul\u0000nul0'],
    ...['newline0\n', ' leading0', '😀😀😀😀😀😀😀😀'],
  ])('is refused as malformed: %j', async (nonce) => {
    const refusal = refusalOf(await read(api, { nonce }));
    expect(refusal).toMatchObject({ code: '13004', cause: 'nonce_malformed' });
    expect(pathIn(refusal.message)).toBe('g_nonce');
  });

  it.each([
    randomBytes(4).toString('hex'),
    randomBytes(32).toString('hex'),
    `_-AZaz09${randomBytes(4).toString('hex')}`,
  ])('is accepted once: %s', async (nonce) => {
    expect(dataOf(await read(api, { nonce }))).toEqual([]);
    const refusal = refusalOf(await read(api, { nonce }));
    expect(refusal).toMatchObject(REPLAYED);
    expect(pathIn(refusal.message)).toBe('g_nonce');
  });

  it('is case-sensitive', async () => {
    const nonce = `a${randomBytes(8).toString('hex')}`;
    expect(dataOf(await read(api, { nonce }))).toEqual([]);
    expect(dataOf(await read(api, { nonce: nonce.toUpperCase() }))).toEqual([]);
  });

  it('is used up for all operations, tokens and processes, even by a call that is refused for its content', async () => {
    const bought = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    const again = await Api.logIn(stack.baseUrl, api.credentials);
    const uses: ((nonce: string) => Promise<unknown>)[] = [
      async (nonce) => dataOf(await api.submit(bought, { nonce })),
      async (nonce) => expect(refusalOf(await api.submit({}, { nonce }))).toMatchObject({ cause: 'field_missing' }),
      async (nonce) => expect(dataOf(await read(there, { nonce }))).toEqual([]),
    ];
    for (const use of uses) {
      const nonce = randomUUID();
      await use(nonce);
      for (const caller of [api, again, there])
        expect(refusalOf(await read(caller, { nonce }))).toMatchObject(REPLAYED);
    }
  });

  it('that is replayed stops a call that would have changed something', async () => {
    const nonce = randomUUID();
    await read(api, { nonce });
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    expect(refusalOf(await api.submit(batch, { nonce }))).toMatchObject(REPLAYED);
    const query = { channelCode: batch.channelCode, channelOrderId: batch.channelOrderId };
    const answer = await api.ask('getBatchResult', { query });
    expect(refusalOf(answer)).toMatchObject({ cause: 'batch_not_found' });
  });

  it('of another application does not matter', async () => {
    const nonce = randomUUID();
    const other = await stack.newApi();
    expect(dataOf(await read(api, { nonce }))).toEqual([]);
    expect(dataOf(await read(other, { nonce }))).toEqual([]);
  });

  it('is free again after ten minutes, and can then be used once more', async () => {
    const nonce = randomUUID();
    await read(api, { nonce });
    await age(nonce, '9 minutes 50 seconds');
    expect(refusalOf(await read(api, { nonce }))).toMatchObject(REPLAYED);
    await age(nonce, '10 minutes 1 second');
    expect(dataOf(await read(api, { nonce }))).toEqual([]);
    expect(refusalOf(await read(api, { nonce }))).toMatchObject(REPLAYED);
  });

  it.each(['new', 'expired'])(
    'that is %s succeeds exactly once in 50 concurrent calls of two processes',
    async (which) => {
      const nonce = randomUUID();
      if (which === 'expired') {
        await read(api, { nonce });
        await age(nonce, '11 minutes');
      }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => read(index % 2 === 0 ? api : there, { nonce })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(refusalOf(answer)).toMatchObject(REPLAYED);
      }
    },
  );

  it.each<[who: string, call: (nonce: string, own: Api) => Promise<unknown>]>([
    ['without a token', (nonce, own) => read(own, { nonce, token: null })],
    ['with an unknown token', (nonce, own) => read(own, { nonce, token: 'unknown' })],
    [
      'of a suspended application',
      async (nonce, own) => {
        await setApplicationStatus(stack.db, own.credentials.appKey, 'suspended');
        await read(own, { nonce });
        await setApplicationStatus(stack.db, own.credentials.appKey, 'approved');
        Object.assign(own, await Api.logIn(stack.baseUrl, own.credentials));
      },
    ],
    [
      'without the scope',
      async (nonce, own) => {
        const { body } = await ask({ ...grantOf(own.credentials), scope: 'auth_me' });
        await read(own, { nonce, token: body.access_token });
      },
    ],
  ])('is not used up by a call %s', async (_who, call) => {
    const own = await stack.newApi();
    const nonce = randomUUID();
    await call(nonce, own);
    expect(dataOf(await read(own, { nonce }))).toEqual([]);
  });
});

describe('secrets', async () => {
  const mobile = '13912345678';
  const password = `license-${randomUUID()}`;
  const own = await stack.newApi();
  const secrets = [own.token, own.credentials.appSecret];

  beforeAll(async () => {
    const names = { customerName: 'C', branchName: 'B', enterpriseName: `Enterprise ${randomUUID()}` };
    const bind = { channelCode: 'secret', channelCustomerId: randomUUID(), ...names, passwordMobile: mobile };
    const customer = dataOf(await own.ask('bindCustomer', { body: bind }));
    const element = { products: [productToBuy({ passwords: [password] })] };
    const order = newBuy(customer, [newAssetNum()], { passwordMobile: mobile }, element);
    await own.process(batchOf(order));
    // Refused and unauthenticated calls too, each with a secret that must not appear.
    await own.ask('bindCustomer', { body: { ...bind, enterpriseName: '', passwordMobile: mobile } });
    await own.submit(batchOf({ ...order, licenseType: 'wooden_key' }));
    await own.submit(undefined, { rawBody: `{"passwordMobile":"${mobile}"` });
    await ask(GRANT, basicOf(own.credentials));
    await ask(grantOf(own.credentials), basicOf(own.credentials));
    await ask({ ...grantOf(own.credentials), client_id: `\u0000${own.credentials.appKey}` });
    await read(own, { token: own.credentials.appSecret });
    await own.call('GET', READ, { query: { access_token: own.token, passwordMobile: mobile } });
  });

  it('never appear in the log', () => {
    const log = stack.logLines.join('');
    for (const secret of [...secrets, mobile, password]) expect(log).not.toContain(secret);
    expect(log).not.toContain(basicOf(own.credentials).authorization.slice('Basic '.length));
  });

  it('never appear in the database in plain text', async () => {
    const content = await storedText(stack.db);
    expect(content).toContain(own.credentials.appKey);
    for (const secret of secrets) {
      expect(content).not.toContain(secret);
      expect(content).not.toContain(Buffer.from(secret).toString('hex'));
      expect(content).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
    }
  });

  it('are too long to guess', () => {
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url').length).toBeGreaterThanOrEqual(32);
  });
});
