import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PasswordHasher } from '@lockstep/access';
import { type ConsoleCause, consoleCauses } from '@lockstep/contract/console';
import { disableOperator, linkOperator, newCommand, resetOperatorPassword, setOperatorRole } from '@lockstep/operators';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConsoleClient, newOperator } from '../harness/browser/console.ts';
import { type Answer, resign, startLoginProvider } from '../harness/network/login-provider.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Logging in to the console by a provider (rules 9 Logins by a provider). */

const { stack, api } = await testStack({ worker: false });
const publicUrl = 'https://licenses.example/shop';
const provider = await untilTestsEnd(startLoginProvider(publicUrl));
const options = { publicUrl, oidc: provider.config };
const { api: service } = await untilTestsEnd(startAnotherApi(stack, api, options));
const admin = await ConsoleClient.logIn(stack, 'admin');

const refusal = (cause: ConsoleCause) => {
  const { status } = consoleCauses[cause];
  return { status, body: { code: String(status), cause } };
};
const newBrowser = (baseUrl = service.baseUrl) => new ConsoleClient(baseUrl, { name: '', password: '' });

let people = 0;
/** A person at the provider, by default with a user name of their own and a group that may read. */
function newPerson(claims: object = {}) {
  const id = `person-${++people}`;
  const person = { preferred_username: `user-${people}`, groups: ['staff'], ...claims };
  provider.people.set(id, person);
  return { id, name: person.preferred_username };
}

/** Goes to the provider and back. */
async function goAndReturn(id: string) {
  const browser = newBrowser();
  const { url } = await browser.call('beginProviderLogIn', { body: { next: '' } });
  return { browser, search: await provider.logIn(url, id) };
}

const finish = (browser: ConsoleClient, search: string) => browser.send('logInByProvider', { body: { search } });

async function logIn(id: string) {
  const { browser, search } = await goAndReturn(id);
  return { browser, ...(await finish(browser, search)) };
}

const refusedOf = async (target: string) =>
  (await admin.call('listAuditLog', { query: { target, action: 'operator.log_in_failed' } })).entries;

describe('a login by the provider', () => {
  it('creates the operator, returns to the page, and is in the audit log', async () => {
    const { id } = newPerson({ preferred_username: 'Jane.Doe@example.com', groups: ['staff', 'help desk', 'x'] });
    const browser = newBrowser();
    const next = '/shop/console/batches?state=failed';
    const begun = await browser.send('beginProviderLogIn', { body: { next } });
    expect(begun.headers.get('set-cookie')).toMatch(
      /^lockstep_log_in=[\w-]+; Max-Age=600; Path=\/shop\/console; HttpOnly; Secure; SameSite=Strict$/,
    );
    const answer = await finish(browser, await provider.logIn(begun.body.data.url, id));
    const me = { name: 'jane.doe', role: 'support', byProvider: true };
    expect(answer).toMatchObject({ status: 200, body: { data: { me, next } } });
    expect(answer.headers.getSetCookie().at(-1)).toMatch(
      /^lockstep_operator=[\w-]{43}; Path=\/shop\/console; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(await browser.call('getMe')).toMatchObject(me);
    expect((await admin.changesOf('jane.doe')).toReversed()).toEqual([
      { action: 'operator.created', before: null, after: { role: 'support', by: 'provider' } },
      { action: 'operator.logged_in', before: null, after: { by: 'provider' } },
    ]);
  });

  it('gives the role of the groups each time, and the same account whatever the user name', async () => {
    const { id, name } = newPerson({ groups: ['staff'] });
    const other = newPerson();
    await logIn(id);
    await logIn(other.id);
    const roles: [unknown, string][] = [
      ['admins', 'admin'],
      [['help desk'], 'support'],
      [['staff', 'admins'], 'admin'],
    ];
    for (const [groups, role] of roles) {
      provider.people.set(id, { preferred_username: other.name, groups });
      expect((await logIn(id)).body.data.me).toMatchObject({ name, role });
    }
    expect(await admin.changesOf(name)).toContainEqual({
      action: 'operator.role_changed',
      before: { role: 'viewer' },
      after: { role: 'admin', by: 'provider' },
    });
    await expect(setOperatorRole(stack.db, name, 'viewer', newCommand())).rejects.toMatchObject({
      reason: 'role_by_provider',
    });
  });

  it('of one person in two browsers at once creates one operator', async () => {
    const { id, name } = newPerson();
    const answers = await Promise.all([logIn(id), logIn(id), logIn(id)]);
    expect(answers.map(({ body }) => body.data?.me.name)).toEqual([name, name, name]);
  });

  it.each<[string, string, unknown, ConsoleCause]>([
    ['without a known group', 'no-group', ['Staff', 7, null], 'provider_without_role'],
    ['without groups', 'no-groups', undefined, 'provider_without_role'],
    ['with groups that are none', 'odd', { staff: 1 }, 'provider_without_role'],
    ['whose name is no name', 'Zoë Müller', ['staff'], 'provider_name_unusable'],
    ['whose name is taken', admin.login.name, ['staff'], 'provider_name_taken'],
  ])('of a person %s is refused, once in the audit log', async (_, target, groups, cause) => {
    const { id } = newPerson({ preferred_username: target, groups });
    expect(await logIn(id)).toMatchObject(refusal(cause));
    expect(await logIn(id)).toMatchObject(refusal(cause));
    expect(await refusedOf(target)).toMatchObject([{ actor: '127.0.0.1', after: { by: 'provider', cause } }]);
  });

  it('of a disabled operator is refused', async () => {
    const { id, name } = newPerson();
    const { browser } = await logIn(id);
    await disableOperator(stack.db, name, newCommand());
    expect(await browser.send('getMe')).toMatchObject(refusal('not_logged_in'));
    expect(await logIn(id)).toMatchObject(refusal('operator_disabled'));
    expect(await refusedOf(name)).toMatchObject([{ after: { cause: 'operator_disabled' } }]);
  });

  it('gets an account with a password only after an admin has linked it, and then only one person does', async () => {
    const { name, password } = await newOperator(stack, 'viewer');
    const [one, other] = [newPerson({ preferred_username: name }), newPerson({ preferred_username: name })];
    expect(await logIn(one.id)).toMatchObject(refusal('provider_name_taken'));
    await admin.call('linkOperator', { params: { name } });
    expect(await newBrowser().send('logIn', { body: { name, password } })).toMatchObject(refusal('login_failed'));
    expect((await logIn(one.id)).body.data.me).toMatchObject({ name, byProvider: true });
    expect(await logIn(other.id)).toMatchObject(refusal('provider_name_taken'));
    const { operators } = await admin.call('listOperators');
    expect(operators.find((each) => each.name === name)).toMatchObject({ byProvider: true });
    const login = await resetOperatorPassword({ db: stack.db, passwords: new PasswordHasher() }, name, newCommand());
    expect(await newBrowser().send('logIn', { body: login })).toMatchObject({ status: 200 });
    expect(await logIn(one.id)).toMatchObject(refusal('provider_name_taken'));
    await linkOperator(stack.db, name, newCommand());
    expect(await logIn(other.id)).toMatchObject({ status: 200 });
  });
});

describe('what comes back', () => {
  it('is good once, and only in the browser and the attempt that it belongs to', async () => {
    const { id } = newPerson();
    const { browser, search } = await goAndReturn(id);
    const { cookie } = browser;
    const unknown = refusal('provider_attempt_unknown');
    expect(await finish(newBrowser(), search)).toMatchObject(unknown);
    const another = await goAndReturn(id);
    expect(await finish(another.browser, search)).toMatchObject(unknown);
    expect(another.browser.cookie).toBe('');
    expect(await finish(browser, search)).toMatchObject({ status: 200 });
    browser.cookie = cookie;
    expect(await finish(browser, search)).toMatchObject(unknown);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect(await another.browser.send('logInByProvider', { body: { search } }, foreign)).toMatchObject(
      refusal('request_forged'),
    );
  });

  it.each<[string, object, ConsoleCause]>([
    ['another PKCE verifier', { codeVerifier: 'v'.repeat(43) }, 'provider_attempt_unknown'],
    ['another nonce', { nonce: 'another' }, 'provider_unavailable'],
    ['no attempt', { state: undefined }, 'provider_attempt_unknown'],
  ])('with %s is refused', async (_, change, cause) => {
    const { browser, search } = await goAndReturn(newPerson().id);
    const attempt = JSON.parse(Buffer.from(browser.cookie.split('=')[1]!, 'base64url').toString());
    browser.cookie = `lockstep_log_in=${Buffer.from(JSON.stringify({ ...attempt, ...change })).toString('base64url')}`;
    expect(await finish(browser, search)).toMatchObject(refusal(cause));
  });

  it('as an error is refused', async () => {
    const { browser, search } = await goAndReturn(newPerson().id);
    const { state = '', iss = '' } = Object.fromEntries(new URLSearchParams(search));
    const refused = String(new URLSearchParams({ state, iss, error: 'access_denied' }));
    expect(await browser.send('logInByProvider', { body: { search: refused } })).toMatchObject({
      body: { cause: 'provider_refused', args: ['access_denied'] },
    });
  });
});

describe('a provider', () => {
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
  const idToken = (change: (token: string) => string) => (answer: Answer) => {
    const body = answer.body as { id_token: string };
    if (answer.path === '/token') answer.body = { ...body, id_token: change(body.id_token) };
  };
  const claims = (changed: object) => idToken((token) => resign(token, changed));
  const answered = (path: string, body: unknown) => (answer: Answer) => {
    if (answer.path === path) answer.body = body;
  };
  const unavailable = { ...refusal('provider_unavailable'), body: { args: [new URL(provider.config.issuer).host] } };

  it.each<[string, (answer: Answer) => void, object]>([
    ['whose clock is 20 s behind', claims({ exp: secondsAgo(20) }), { status: 200 }],
    ['whose token has expired', claims({ exp: secondsAgo(600) }), unavailable],
    ['whose token is for another client', claims({ aud: 'another' }), unavailable],
    ['whose person has no id', claims({ sub: '' }), unavailable],
    ['whose signature is wrong', idToken((token) => token.replace(/.{9}$/, 'forged-it')), unavailable],
    ['that answers a page for a token', answered('/token', '<h1>Welcome</h1>'), unavailable],
    ['that tells another person', answered('/me', { sub: 'another', groups: ['admins'] }), unavailable],
  ])('%s', async (_, alter, expected) => {
    const { browser, search } = await goAndReturn(newPerson().id);
    provider.alter = alter;
    const answer = await finish(browser, search);
    provider.alter = undefined;
    expect(answer).toMatchObject(expected);
    expect(await logIn(newPerson().id)).toMatchObject({ status: 200 });
  });

  it('that is down or answers nonsense delays no start, and works as soon as it is well', async () => {
    const { api: other, close } = await startAnotherApi(stack, api, options);
    onTestFinished(close);
    const begin = () => newBrowser(other.baseUrl).send('beginProviderLogIn', { body: { next: '' } });
    for (const body of ['nonsense', {}, { issuer: 'https://another.example' }, { issuer: provider.config.issuer }]) {
      provider.alter = answered('/.well-known/openid-configuration', body);
      expect(await begin()).toMatchObject(unavailable);
    }
    provider.alter = undefined;
    expect(await begin()).toMatchObject({ status: 200 });
  });

  it('that is silent is given up, and holds nothing meanwhile', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close().closeAllConnections());
    const oidc = { ...provider.config, issuer: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const { api: other, close } = await startAnotherApi(stack, api, { publicUrl, oidc });
    onTestFinished(close);
    const begin = () => newBrowser(other.baseUrl).send('beginProviderLogIn', { body: { next: '' } });
    const asked = Array.from({ length: 50 }, begin);
    const { name, password } = await newOperator(stack, 'viewer');
    const login = newBrowser(other.baseUrl).send('logIn', { body: { name, password } });
    expect(await Promise.race([login, ...asked])).toMatchObject({ body: { data: { name } } });
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject(refusal('provider_unavailable'));
  });
});

it('passwords can be switched off, and are the only way without a provider', async () => {
  const { api: other, close } = await startAnotherApi(stack, api, { ...options, PASSWORD_LOGIN: 'off' });
  onTestFinished(close);
  const body = await newOperator(stack, 'viewer');
  expect(await newBrowser(other.baseUrl).send('logIn', { body })).toMatchObject(refusal('password_log_in_off'));
  expect(await newBrowser().send('logIn', { body })).toMatchObject({ status: 200 });
  const answer = await newBrowser(stack.baseUrl).send('beginProviderLogIn', { body: { next: '' } });
  expect(answer).toMatchObject(refusal('not_found'));
});
