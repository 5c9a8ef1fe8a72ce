import { createHash, randomUUID } from 'node:crypto';
import { setApplicationStatus } from '@lockstep/access';
import { type Cause, causes, codeOf, TokenAnswer } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, Api, dataOf, refusalOf } from '../harness/api.ts';
import { askUserToken, type MemberCallOptions, MemberCenter, newEmployee } from '../harness/member-center.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { contentOfTables } from '../harness/tables.ts';

/**
 * Callers that may not call the member center: 60000, 60005 and 70001, for each of its operations (rules 2, 3 and 8).
 * member-refusals.test.ts has the other codes. No refusal changes anything, and at the end each operation takes the same
 * call.
 */
let stack: Stack;
let center: MemberCenter;
/** Another enterprise, whose administrator is logged in through the same application. */
let neighbour: MemberCenter;
let tables: unknown;

/** Tokens that are not enough for a call. */
let tokens: Record<
  | 'withoutScope'
  | 'suspended'
  | 'ordersOnly'
  | 'expired'
  | 'otherApplication'
  | 'userElsewhere'
  | 'userExpired'
  | 'userDeleted'
  | 'employee',
  string
>;

/** What the calls name: all of it exists, so that they would change something. */
let employeeId: string;
let free: string;
let held: { assetNum: string; assetId: string };
let lockNum: string;

const PASSWORD = 'correct horse';

beforeAll(async () => {
  stack = await startStack({ worker: false });
  center = await MemberCenter.open(stack);
  neighbour = await MemberCenter.open(stack, center.api);
  const { credentials } = center.api;
  const [withoutScope, suspended, other, expired] = await Promise.all([
    stack.newApi(['auth_order']),
    stack.newApi(),
    stack.newApi(),
    Api.logIn(stack.baseUrl, credentials),
  ]);
  await setApplicationStatus(stack.db, suspended.credentials.appKey, 'suspended');

  const [kim, gone] = await center.add(newEmployee({ userName: 'kim' }), newEmployee());
  employeeId = kim!.globalId;
  const logIn = async (account: string, password: string, at = credentials) =>
    TokenAnswer.parse((await askUserToken(stack.baseUrl, at, { account, password })).body).access_token;
  const [employee, userDeleted, userElsewhere, userExpired] = await Promise.all([
    logIn(kim!.userName, PASSWORD),
    logIn(gone!.userName, PASSWORD),
    logIn(center.account, center.password, other.credentials),
    logIn(center.account, center.password),
  ]);
  dataOf(await center.delete(gone!.globalId));
  tokens = {
    withoutScope: withoutScope.token,
    suspended: suspended.token,
    ordersOnly: await clientTokenWithScope('auth_order'),
    expired: expired.token,
    otherApplication: other.token,
    userElsewhere,
    userExpired,
    userDeleted,
    employee,
  };
  const ended = [tokens.expired, userExpired].map((token) => createHash('sha256').update(token).digest());
  const tokenRows = stack.db.updateTable('access_token').where('token_hash', 'in', ended);
  await tokenRows.set({ expires_time: new Date() }).execute();

  const [first, second] = await center.buy(2);
  [free, held] = [first!.assetNum, second!];
  lockNum = (await center.buyLocks())[0]!.assetNum;
  await center.assign(employeeId, held.assetNum);
  tables = await contents();
});
afterAll(() => stack.close());

/** A token of the client's application with fewer scopes. */
async function clientTokenWithScope(scope: string): Promise<string> {
  const { appKey, appSecret } = center.api.credentials;
  const form = { grant_type: 'client_credentials', client_id: appKey, client_secret: appSecret, scope };
  const response = await fetch(`${stack.baseUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  return TokenAnswer.parse(await response.json()).access_token;
}

async function contents() {
  const { access_token: _tokens, login_failure: _failures, ...others } = await contentOfTables(stack.db);
  return others;
}

const PAGE = { pageNum: '1', pageSize: '10' };

/** In an order in which all can succeed: M4 deletes the employee that the others name. */
const NAMES = ['M1', 'M2', 'M3', 'M5', 'M6', 'M7', 'M8', 'M9', 'M10', 'audit', 'M4'] as const;
type Name = (typeof NAMES)[number];
const hasBody = (name: Name) => ['M1', 'M2', 'M3', 'M9', 'M10'].includes(name);
const namesEnterprise = (name: Name) => !['M7', 'M9', 'M10'].includes(name);

/** A valid call of each operation. */
const OPERATIONS: Record<Name, (by: MemberCenter, options?: MemberCallOptions) => Promise<Answer>> = {
  M1: (by, options) => by.submitAdd([newEmployee()], options),
  M2: (by, options) => by.edit(employeeId, { userName: 'kim', name: 'Changed' }, options),
  M3: (by, options) => by.resetPassword(employeeId, 'battery staple', options),
  M4: (by, options) => by.delete(employeeId, options),
  M5: (by, options) => by.submitList(PAGE, options),
  M6: (by, options) => by.call('GET', `/enterprise/${by.enterpriseId}/asset/assetNums`, options),
  M7: (by, options) => by.call('GET', `/enterprise/asset/${held.assetId}/merchandiseProducts`, options),
  M8: (by, options) => by.call('GET', `/enterprise/${by.enterpriseId}/asset/borrowUsbKeys`, options),
  M9: (by, options) => by.configure(employeeId, [], [free], options),
  M10: (by, options) => by.lend(employeeId, lockNum, [held.assetId], options),
  audit: (by, options) => by.call('GET', `/enterprise/${by.enterpriseId}/audit`, { query: PAGE, ...options }),
};

/** Who calls, or how; the refusal, and what its message names. */
type Caller = [how: string, code: string, cause: Cause, says: string, options: () => MemberCallOptions];

const CALLERS: Caller[] = [
  ['no Authorization', '60000', 'token_missing', 'Authorization header', () => ({ token: null })],
  [
    'HTTP Basic',
    '60000',
    'token_missing',
    'Authorization header',
    () => ({ headers: { authorization: 'Basic YTpi' } }),
  ],
  ['a token that nobody was given', '60000', 'token_invalid', 'access token', () => ({ token: 'unknown' })],
  ['a token that has expired', '60000', 'token_invalid', 'access token', () => ({ token: tokens.expired })],
  ['a user token as its own', '60000', 'token_invalid', 'access token', () => ({ token: center.userToken })],
  ['an application without auth_me', '60000', 'scope_missing', 'auth_me', () => ({ token: tokens.withoutScope })],
  ['a token without auth_me', '60000', 'scope_missing', 'auth_me', () => ({ token: tokens.ordersOnly })],
  [
    'an application that is suspended',
    '60000',
    'application_not_approved',
    'not approved',
    () => ({ token: tokens.suspended, clientToken: tokens.suspended }),
  ],
  ['no clientToken', '60000', 'client_token_missing', 'clientToken header', () => ({ clientToken: null })],
  ['an empty clientToken', '60000', 'client_token_missing', 'clientToken header', () => ({ clientToken: '' })],
  ['an unknown clientToken', '60000', 'client_token_invalid', 'clientToken', () => ({ clientToken: 'unknown' })],
  ['an expired clientToken', '60000', 'client_token_invalid', 'clientToken', () => ({ clientToken: tokens.expired })],
  [
    'a user token as clientToken',
    '60000',
    'client_token_invalid',
    'user token',
    () => ({ clientToken: center.userToken }),
  ],
  [
    'a clientToken of another application',
    '60000',
    'client_token_mismatch',
    'clientToken',
    () => ({ clientToken: tokens.otherApplication }),
  ],
  ['a clientToken without auth_me', '60000', 'scope_missing', 'auth_me', () => ({ clientToken: tokens.ordersOnly })],
  ['no userToken', '60005', 'user_token_missing', 'userToken header', () => ({ userToken: null })],
  ['an empty userToken', '60005', 'user_token_missing', 'userToken header', () => ({ userToken: '' })],
  ['an unknown userToken', '60005', 'user_token_invalid', 'userToken', () => ({ userToken: 'unknown' })],
  ['a client token as userToken', '60005', 'user_token_invalid', 'userToken', () => ({ userToken: center.api.token })],
  ['an expired userToken', '60005', 'user_token_invalid', 'userToken', () => ({ userToken: tokens.userExpired })],
  ['a deleted user', '60005', 'user_token_invalid', 'userToken', () => ({ userToken: tokens.userDeleted })],
  [
    'a userToken of another application',
    '60005',
    'user_token_invalid',
    'another application',
    () => ({ userToken: tokens.userElsewhere }),
  ],
  ['no g_nonce', '70001', 'nonce_missing', 'g_nonce: ', () => ({ nonce: null })],
  ['an empty g_nonce', '70001', 'nonce_missing', 'g_nonce: ', () => ({ nonce: '' })],
  ['a g_nonce of 7 characters', '70001', 'nonce_malformed', 'g_nonce: ', () => ({ nonce: 'a'.repeat(7) })],
  ['a g_nonce of 65 characters', '70001', 'nonce_malformed', 'g_nonce: ', () => ({ nonce: 'a'.repeat(65) })],
  ['a g_nonce with a blank', '70001', 'nonce_malformed', 'g_nonce: ', () => ({ nonce: 'abcd efgh' })],
  ['an employee', '70001', 'not_administrator', 'not an administrator', () => ({ userToken: tokens.employee })],
];

/** Every cause that a test below was refused for. */
const tried = new Set<Cause>();

async function expectRefused(name: Name, answer: Promise<Answer>, code: string, cause: Cause, says = '') {
  const refusal = refusalOf(await answer);
  expect({ name, ...refusal }).toMatchObject({ name, code, cause });
  expect(refusal.message).toContain(says);
  tried.add(cause);
}

const expectNothingChanged = async () => expect(await contents()).toEqual(tables);

describe('every operation refuses', () => {
  it.each(CALLERS)('%s with %s %s', async (_how, code, cause, says, options) => {
    await Promise.all(NAMES.map((name) => expectRefused(name, OPERATIONS[name](center, options()), code, cause, says)));
    await expectNothingChanged();
  });

  it('a g_nonce that was used before, by whatever operation', async () => {
    const nonce = randomUUID();
    dataOf(await center.submitList(PAGE, { nonce }));
    const again = (name: Name) => OPERATIONS[name](center, { nonce });
    await Promise.all(
      NAMES.map((name) => expectRefused(name, again(name), '70001', 'nonce_replayed', 'g_nonce: was used before')),
    );
    await expectNothingChanged();
  });

  it.each(NAMES)('what is wrong in every way for one after the other: %s', async (name) => {
    const { token } = center.api;
    const corrections: [correction: MemberCallOptions, code: string, cause: Cause][] = [
      [{}, '60000', 'token_invalid'],
      [{ token }, '60000', 'client_token_invalid'],
      [{ clientToken: token }, '60005', 'user_token_invalid'],
      [{ userToken: tokens.employee }, '70001', 'nonce_malformed'],
      [{ nonce: randomUUID() }, '70001', 'not_administrator'],
    ];
    let options: MemberCallOptions = { token: 'x', clientToken: 'x', userToken: 'x', nonce: 'x' };
    if (hasBody(name)) {
      options.rawBody = '{"';
      corrections.push([{ userToken: center.userToken, nonce: randomUUID() }, '40000', 'json_malformed']);
    }
    for (const [correction, code, cause] of corrections) {
      options = { ...options, ...correction };
      expect(refusalOf(await OPERATIONS[name](center, options))).toMatchObject({ code, cause });
    }
    await expectNothingChanged();
  });
});

describe('every operation on an enterprise refuses', () => {
  const names = NAMES.filter(namesEnterprise);
  const expectNoAdministrator = (name: Name, answer: Promise<Answer>) =>
    expectRefused(name, answer, '70001', 'not_administrator', 'not an administrator');

  it('the administrator of another one', async () => {
    const { userToken } = neighbour;
    await Promise.all(names.map((name) => expectNoAdministrator(name, OPERATIONS[name](center, { userToken }))));
    await expectNothingChanged();
  });

  it.each<[what: string, enterpriseId: () => string]>([
    ['another one', () => neighbour.enterpriseId],
    ['none that is there', () => '999999999'],
    ['more than 63 bits', () => '9'.repeat(19)],
    ['a zero before the right one', () => `0${center.enterpriseId}`],
    ['a blank behind the right one', () => `${center.enterpriseId}%20`],
    ['a word', () => 'enterprise'],
    ['SQL', () => encodeURIComponent("1' or '1'='1")],
    ['U+0000', () => '%00'],
  ])('an administrator where the path names %s', async (_what, enterpriseId) => {
    const naming: MemberCenter = Object.create(center, { enterpriseId: { value: enterpriseId() } });
    await Promise.all(names.map((name) => expectNoAdministrator(name, OPERATIONS[name](naming))));
    await expectNothingChanged();
  });
});

describe('the codes of callers', () => {
  it('M4 refuses the last administrator with 70001 last_administrator', async () => {
    await expectRefused('M4', center.delete(center.adminId), '70001', 'last_administrator', 'last administrator');
    await expectNothingChanged();
  });

  it('are tried for every cause that they have', () => {
    const words = Object.keys(causes) as Cause[];
    const known = words.filter((cause) => ['60000', '60005', '70001'].includes(codeOf(cause, 'member')));
    expect([...tried].toSorted()).toEqual(known.toSorted());
  });
});

it.each(NAMES)('%s takes the call that all these could not make', async (name) => {
  dataOf(await OPERATIONS[name](center));
});
