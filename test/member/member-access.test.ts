import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { PasswordHasher, setApplicationStatus } from '@lockstep/access';
import { type Cause, type MemberId, TokenAnswer } from '@lockstep/contract';
import { createAdministrator, setPassword } from '@lockstep/members';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, Api, dataOf, refusalOf } from '../harness/api.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import type { MemberCallOptions } from '../harness/members/member-center.ts';
import { askClientToken, askUserToken } from '../harness/oauth.ts';
import { newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';
import { openWithCalls } from './valid-calls.ts';

/**
 * The three credentials and the nonce of the member center, on each operation (rules 2 and 3). At the end, each
 * operation accepts the same call with valid credentials.
 */

const passwords = new PasswordHasher();
const PASSWORD = 'correct horse';

const { stack } = await testStack({ worker: false });
const { center, calls, call } = await openWithCalls(stack);
/** The tokens of the center's client and its administrator. */
const good = { token: center.api.token, clientToken: center.api.token, userToken: center.userToken };
const NAMES = Object.keys(calls);
const WITH_BODY = NAMES.filter((name) => calls[name]!.body !== undefined);

/** A call that changes nothing. */
const read = (options: MemberCallOptions = {}) => call('M6', options);

/** Returns everything that the operations can change. */
async function membersAndHoldings(): Promise<unknown[]> {
  const { rows } = await sql`
    select 'member', member::text from member
    union all select 'assignment', asset_assignment::text from asset_assignment
    union all select 'lending', asset_lending::text from asset_lending
    union all select 'ended', ended_holding::text from ended_holding
    union all select 'audit', member_audit::text from member_audit
    order by 1, 2`.execute(stack.db);
  return rows;
}

/** Expects every operation to refuse the call and to change nothing. Each call has a new nonce by default. */
async function refusalsOfAll(options: MemberCallOptions, names = NAMES) {
  const before = await membersAndHoldings();
  const refusals = await Promise.all(
    names.map(async (name) => {
      const { code, cause } = refusalOf(await call(name, options));
      return [name, { code, cause }];
    }),
  );
  expect(await membersAndHoldings()).toEqual(before);
  return Object.fromEntries(refusals);
}

const each = (code: string, cause: Cause, names = NAMES) =>
  Object.fromEntries(names.map((name) => [name, { code, cause }]));

async function countNonces(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from nonce`.execute(stack.db);
  return rows[0]!.count;
}

async function logIn(by: Api, user: { account: string; password: string; scope?: string }): Promise<string> {
  return TokenAnswer.parse((await askUserToken(stack.baseUrl, by.credentials, user)).body).access_token;
}

const user = () => ({ account: center.account, password: center.password });

/** Makes a token expire. */
async function expire(token: string): Promise<string> {
  const token_hash = createHash('sha256').update(token).digest();
  const expires_time = sql<Date>`now()`;
  await stack.db.updateTable('access_token').set({ expires_time }).where('token_hash', '=', token_hash).execute();
  return token;
}

/** Requests a client token of the center's application with another scope than it needs. */
async function tokenForOrders(): Promise<string> {
  return TokenAnswer.parse((await askClientToken(stack.baseUrl, center.api.credentials, 'auth_order')).body)
    .access_token;
}

/** Requests an application's tokens as the center's administrator. */
async function logInToAll(api: Api): Promise<typeof good> {
  return { token: api.token, clientToken: api.token, userToken: await logIn(api, center) };
}

/** Adds another administrator of the enterprise and logs them in. */
async function newAdministrator(): Promise<{ id: MemberId; userToken: string }> {
  const login = (await createAdministrator({ db: stack.db, passwords }, center.enterpriseId))!;
  const id = (await center.list({ keyword: login.account }))[0]!.globalId;
  return { id, userToken: await logIn(center.api, login) };
}

/** Returns the token of another administrator, who could call until `change` succeeded. */
async function administratorAfter(change: (id: MemberId) => Promise<Answer>) {
  const { id, userToken } = await newAdministrator();
  dataOf(await read({ userToken }));
  dataOf(await change(id));
  return { userToken };
}

/** The fault of the credentials, the call's options, and the refusal. */
type Fault = [how: string, options: () => MemberCallOptions | Promise<MemberCallOptions>];

const FAULTS: Record<string, Fault[]> = {
  '60000 token_missing': [
    ['no Authorization', () => ({ token: null })],
    ['Authorization without a token', () => ({ token: '' })],
    ['Authorization of another scheme', () => ({ headers: { authorization: `Basic ${good.token}` } })],
    ['Authorization with a token alone', () => ({ headers: { authorization: good.token } })],
    ['two tokens in Authorization', () => ({ token: `${good.token} ${good.token}` })],
    ['the access token in the query', () => ({ token: null, query: { access_token: good.token } })],
    ['nothing at all', () => ({ token: null, clientToken: null, userToken: null })],
  ],
  '60000 token_invalid': [
    ['an unknown access token', () => ({ token: 'unknown' })],
    ['an access token with one more character', () => ({ token: `${good.token}x` })],
    ['an expired access token', async () => ({ token: await expire(await newClientToken()) })],
    ['the user token in Authorization', () => ({ token: good.userToken })],
    ['client token and user token swapped', () => ({ token: good.userToken, userToken: good.token })],
    ['the application’s secret in Authorization', () => ({ token: center.api.credentials.appSecret })],
  ],
  '60000 client_token_missing': [
    ['no clientToken', () => ({ clientToken: null })],
    ['an empty clientToken', () => ({ clientToken: '' })],
    ['the clientToken in the query', () => ({ clientToken: null, query: { clientToken: good.token } })],
    ['Authorization alone', () => ({ clientToken: null, userToken: null })],
  ],
  '60000 client_token_invalid': [
    ['an unknown clientToken', () => ({ clientToken: 'unknown' })],
    ['a clientToken with one character less', () => ({ clientToken: good.token.slice(1) })],
    ['a clientToken with a scheme', () => ({ clientToken: `Bearer ${good.token}` })],
    ['the clientToken twice', () => ({ clientToken: `${good.token}, ${good.token}` })],
    ['an expired clientToken', async () => ({ clientToken: await expire(await newClientToken()) })],
    ['the user token for clientToken', () => ({ clientToken: good.userToken })],
  ],
  '60000 client_token_mismatch': [
    ['a clientToken of another application', async () => ({ clientToken: (await stack.newApi()).token })],
    ['an access token of another application', async () => ({ token: (await stack.newApi()).token })],
  ],
  '60000 scope_missing': [
    [
      'an application without auth_me',
      async () => {
        const { token } = await stack.newApi(['auth_order']);
        return { token, clientToken: token };
      },
    ],
    ['an access token without auth_me', async () => ({ token: await tokenForOrders() })],
    ['a clientToken without auth_me', async () => ({ clientToken: await tokenForOrders() })],
  ],
  '60000 application_not_approved': (['suspended', 'pending'] as const).map((status) => [
    `an application that is ${status}`,
    async () => {
      const own = await stack.newApi();
      const tokens = await logInToAll(own);
      dataOf(await read(tokens));
      await setApplicationStatus(stack.db, own.credentials.appKey, status);
      return tokens;
    },
  ]),
  '60005 user_token_missing': [
    ['no userToken', () => ({ userToken: null })],
    ['an empty userToken', () => ({ userToken: '' })],
    ['the userToken in the query', () => ({ userToken: null, query: { userToken: good.userToken } })],
  ],
  '60005 user_token_invalid': [
    ['an unknown userToken', () => ({ userToken: 'unknown' })],
    ['a userToken with one more character', () => ({ userToken: `${good.userToken}x` })],
    ['a userToken with a scheme', () => ({ userToken: `Bearer ${good.userToken}` })],
    ['the userToken twice', () => ({ userToken: `${good.userToken}, ${good.userToken}` })],
    ['the password for userToken', () => ({ userToken: center.password })],
    ['the access token for userToken', () => ({ userToken: good.token })],
    [
      'a userToken without auth_me',
      async () => ({ userToken: await logIn(center.api, { ...user(), scope: 'auth_order' }) }),
    ],
    ['an expired userToken', async () => ({ userToken: await expire(await logIn(center.api, center)) })],
    [
      'a userToken issued to another application',
      async () => ({ userToken: (await logInToAll(await stack.newApi())).userToken }),
    ],
    [
      'client tokens of another application than the userToken',
      async () => ({ ...(await logInToAll(await stack.newApi())), userToken: good.userToken }),
    ],
    ['an administrator who was deleted', () => administratorAfter((id) => center.delete(id))],
    [
      'an administrator whose password was reset',
      () => administratorAfter((id) => center.resetPassword(id, 'battery staple')),
    ],
    [
      'an administrator whose password the operator has set',
      async () => {
        const { id, userToken } = await newAdministrator();
        await setPassword({ db: stack.db, passwords }, id);
        return { userToken };
      },
    ],
  ],
};

async function newClientToken(): Promise<string> {
  return (await Api.logIn(stack.baseUrl, center.api.credentials)).token;
}

describe.each(Object.entries(FAULTS))('every operation is refused with %s', (codeAndCause, faults) => {
  const [code, cause] = codeAndCause.split(' ') as [string, Cause];

  it.each(faults)('%s, and uses up no nonce', async (_how, options) => {
    const faulty = await options();
    const nonces = await countNonces();
    expect(await refusalsOfAll(faulty)).toEqual(each(code, cause));
    expect(await countNonces()).toBe(nonces);
  });
});

describe('every operation is refused with 70001 to a user who is', () => {
  it('an employee and not an administrator', async () => {
    const userToken = await logIn(center.api, { account: `kim@${center.code}`, password: PASSWORD });
    expect(await refusalsOfAll({ userToken })).toEqual(each('70001', 'not_administrator'));
  });

  it('no longer an administrator', async () => {
    const { id, userToken } = await newAdministrator();
    await sql`update member set is_administrator = false where id = ${id}`.execute(stack.db);
    expect(await refusalsOfAll({ userToken })).toEqual(each('70001', 'not_administrator'));
  });
});

describe('every operation on an enterprise is refused with 70001 if the path names', () => {
  it.each([
    ['an unknown one', '999999999'],
    ['more than 63 bits', '9'.repeat(19)],
    ['a leading zero', `0${center.enterpriseId}`],
    ['a trailing blank', `${center.enterpriseId} `],
    ['SQL', "1' or '1'='1"],
    ['U+0000', '\0'],
  ])('%s', async (_what, enterpriseId) => {
    const right = `/enterprise/${center.enterpriseId}/`;
    for (const { method, path, query = {}, body } of Object.values(calls)) {
      if (!path.startsWith(right)) continue;
      const wrong = path.replace(right, `/enterprise/${encodeURIComponent(enterpriseId)}/`);
      const answer = await center.call(method, wrong, { query, ...(body && { body: body() }) });
      expect(refusalOf(answer)).toMatchObject({ code: '70001', cause: 'not_administrator' });
    }
  });
});

describe('the check of the caller', () => {
  it.each(NAMES)('has a fixed order when everything is wrong: %s', async (name) => {
    const employeeToken = await logIn(center.api, { account: `kim@${center.code}`, password: PASSWORD });
    const corrections: [correction: MemberCallOptions, code: string, cause: Cause][] = [
      [{}, '60000', 'token_invalid'],
      [{ token: good.token }, '60000', 'client_token_invalid'],
      [{ clientToken: good.token }, '60005', 'user_token_invalid'],
      [{ userToken: employeeToken }, '70001', 'nonce_malformed'],
      [{ nonce: randomUUID() }, '70001', 'not_administrator'],
    ];
    let options: MemberCallOptions = { token: 'x', clientToken: 'x', userToken: 'x', nonce: 'x' };
    if (WITH_BODY.includes(name)) {
      options.rawBody = '{"';
      corrections.push([{ userToken: good.userToken, nonce: randomUUID() }, '40000', 'json_malformed']);
    }
    for (const [correction, code, cause] of corrections) {
      options = { ...options, ...correction };
      expect(refusalOf(await call(name, options))).toMatchObject({ code, cause });
    }
  });

  it('happens before the body has arrived', async () => {
    const url = `${stack.baseUrl}/me/api/v1${calls.M1!.path}?g_nonce=${randomUUID()}`;
    const headers = { 'content-type': 'application/json', 'content-length': '1000', authorization: 'Bearer unknown' };
    const unfinished = request(url, { method: 'POST', headers });
    unfinished.flushHeaders();
    const [response] = (await once(unfinished, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(299);
    expect(await json(response)).toMatchObject({ code: '60000', cause: 'token_invalid' });
    unfinished.destroy();
  });

  it('happens before the content type is checked', async () => {
    const headers = { 'content-type': 'text/plain' };
    const refusals = await refusalsOfAll({ clientToken: null, rawBody: 'x', headers }, WITH_BODY);
    expect(refusals).toEqual(each('60000', 'client_token_missing', WITH_BODY));
  });

  it('accepts two client tokens of one application, and user tokens of different ones', async () => {
    dataOf(await read({ clientToken: await newClientToken() }));
    const other = await logInToAll(await stack.newApi());
    dataOf(await read(other));
    dataOf(await read());
  });

  it('accepts only new tokens when the application is approved again', async () => {
    const own = await stack.newApi();
    const tokens = await logInToAll(own);
    await setApplicationStatus(stack.db, own.credentials.appKey, 'suspended');
    expect(refusalOf(await read(tokens))).toMatchObject({ code: '60000', cause: 'application_not_approved' });
    await setApplicationStatus(stack.db, own.credentials.appKey, 'approved');
    const fresh = await logInToAll(await Api.logIn(stack.baseUrl, own.credentials));
    dataOf(await read(fresh));
    for (const [name, cause] of [
      ['token', 'token_invalid'],
      ['clientToken', 'client_token_invalid'],
      ['userToken', 'user_token_invalid'],
    ] as const) {
      expect(refusalOf(await read({ ...fresh, [name]: tokens[name] }))).toMatchObject({ cause });
    }
  });

  it('requires the application’s scope, and no more', async () => {
    dataOf(await read(await logInToAll(await stack.newApi(['auth_me']))));
  });
});

describe('g_nonce', () => {
  it.each([
    ['missing', null, 'nonce_missing'],
    ['empty', '', 'nonce_missing'],
    ['of 7 characters', 'abcdefg', 'nonce_malformed'],
    ['of 65 characters', 'a'.repeat(65), 'nonce_malformed'],
    ['with a blank', 'with blank', 'nonce_malformed'],
    ['with U+0000', 'nul\u0000nul0', 'nonce_malformed'],
    ['with letters of another script', 'umlautäöü', 'nonce_malformed'],
  ] as const)('that is %s is refused by every operation with 70001', async (_what, nonce, cause) => {
    expect(await refusalsOfAll({ nonce })).toEqual(each('70001', cause));
  });

  it('that was used is refused by every operation with 70001', async () => {
    const nonce = randomUUID();
    dataOf(await read({ nonce }));
    expect(await refusalsOfAll({ nonce })).toEqual(each('70001', 'nonce_replayed'));
  });

  it.each<[how: string, use: (nonce: string) => Promise<Answer>]>([
    ['a call that was refused for its content', (nonce) => call('M9', { nonce, body: {} })],
    ['a call that was refused for its path', (nonce) => center.delete('404', { nonce })],
    ['a call to the order module', (nonce) => center.api.call('GET', '/enterprise/user/query', { nonce })],
    [
      'another user of the application',
      async (nonce) => read({ nonce, userToken: (await newAdministrator()).userToken }),
    ],
    ['the same application with another token', async (nonce) => read({ nonce, token: await newClientToken() })],
  ])('is used up by %s', async (_how, use) => {
    const nonce = randomUUID();
    await use(nonce);
    expect(refusalOf(await read({ nonce }))).toMatchObject({ code: '70001', cause: 'nonce_replayed' });
  });

  it('is used up for the order module too', async () => {
    const nonce = randomUUID();
    dataOf(await read({ nonce }));
    const answer = await center.api.call('GET', '/enterprise/user/query', { nonce });
    expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'nonce_replayed' });
  });

  it('that was refused to another caller can be used by an authorized one', async () => {
    const nonce = randomUUID();
    for (const options of [{ token: 'x' }, { clientToken: 'x' }, { userToken: 'x' }, { userToken: null }]) {
      expect((await read({ nonce, ...options })).status).toBe(299);
    }
    dataOf(await read({ nonce }));
  });
});

it('a user token is not accepted as an application’s token by the order module', async () => {
  const order = newBuy(center.customer, [newAssetNum()]);
  const batch = { channelCode: 'test', channelOrderId: randomUUID(), syncMode: 'sync', orderList: [order] };
  const before = await contentOfTables(stack.db);
  const answer = await center.api.submit(batch, { token: good.userToken });
  expect(refusalOf(answer)).toMatchObject({ code: '60000', cause: 'token_invalid' });
  expect(await contentOfTables(stack.db)).toEqual(before);
});

it.each(NAMES)('%s accepts the call that was refused above', async (name) => {
  dataOf(await call(name));
});
