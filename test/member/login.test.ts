import { createHash, randomBytes } from 'node:crypto';
import { agedAccess, createApplication, PasswordHasher, setApplicationStatus } from '@lockstep/access';
import type { Employee } from '@lockstep/contract';
import { setPassword } from '@lockstep/members';
import { Cleanup, createLogger } from '@lockstep/platform';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { applicationIdOf, storedText } from '../harness/databases/tables.ts';
import { untilDoneOrWaiting } from '../harness/databases/waiting.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken, basic, basicOf, expectOAuthError, expectToken, inBody, requestToken } from '../harness/oauth.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Employees log in with the password grant of the token endpoint (rules 2). */

/** For the work of the `lockstep` command. */
const passwords = new PasswordHasher();

const PASSWORD = 'correct horse';

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
/** The application that requests tokens. */
const client = center.api.credentials;
const clientId = await applicationIdOf(stack.db, client);
await center.buy(1, { licenseType: 'cloud_customer' });
/** An employee that all tests share. Tests of the account lock use employees of their own. */
const [kim] = (await center.add(newEmployee({ userName: 'kim', passwordMobile: '13912345678' }))) as [Employee];

const newApplication = (changes: Partial<Parameters<typeof createApplication>[1]> = {}) =>
  createApplication(stack.db, { name: 'Test', scopes: ['auth_order', 'auth_me'], approved: true, ...changes });

const grantOf = (username: string, password: string) => ({ grant_type: 'password', username, password });

const ask = (...call: [form: Parameters<typeof requestToken>[1], headers: Record<string, string>]) =>
  requestToken(stack.baseUrl, ...call);

/** Logs in. By default, sends the application's credentials by HTTP Basic. */
const logIn = (account: string, password: string, by = client) =>
  askUserToken(stack.baseUrl, by, { account, password });

/** Makes a member center call with a user token and the application's own tokens. */
const callWith = (userToken: string) =>
  center.call('GET', `/enterprise/${center.enterpriseId}/asset/assetNums`, { userToken });

describe('the password grant issues a token', () => {
  it('to a client that authenticates by HTTP Basic', async () => {
    const token = expectToken(await ask(grantOf(center.account, center.password), basicOf(client)));
    expect(dataOf(await callWith(token))).toHaveLength(1);
  });

  it.each([
    ['auth_me', 'auth_me'],
    ['auth_me auth_order', 'auth_me auth_order'],
    ['', 'auth_order auth_me'],
  ])('for the scope "%s"', async (scope, granted) => {
    const { body } = await ask({ ...grantOf(kim.userName, PASSWORD), scope }, basicOf(client));
    expect(body).toMatchObject({ scope: granted });
  });

  it('that is valid for two hours', async () => {
    const {
      rows: [before],
    } = await sql<{ now: Date }>`select now()`.execute(stack.db);
    const { body } = await logIn(kim.userName, PASSWORD);
    const {
      rows: [token],
    } = await sql<{ is_within: boolean }>`
      select expires_time - interval '2 hours' between ${before!.now} and now() as is_within
      from access_token where token_hash = ${sha256(body.access_token)}`.execute(stack.db);
    expect(token).toEqual({ is_within: true });
  });
});

describe('the password grant refuses with identical answers', async () => {
  const wrong = await logIn(kim.userName, 'wrong password');
  const [deleted] = (await center.add(newEmployee())) as [Employee];
  dataOf(await center.delete(deleted.globalId));
  const member = stack.db.selectFrom('member').select('password_hash').where('id', '=', kim.globalId);
  const { password_hash: passwordHash } = await member.executeTakeFirstOrThrow();

  // Without this, the failures would lock the account for other tests.
  afterEach(() => forgetFailures(kim.userName));

  /** Returns everything that could distinguish one answer from another. */
  const saidBy = ({ status, headers, body }: Answer) => {
    const { date, 'x-request-id': _requestId, ...others } = Object.fromEntries(headers);
    return { status, headers: others, body };
  };

  it.each<[what: string, account: string, password?: string]>([
    ['a password in different case', kim.userName, PASSWORD.toUpperCase()],
    ['a password with a trailing blank', kim.userName, `${PASSWORD} `],
    ['a blank password', kim.userName, ' '],
    ['a password with a trailing U+0000', kim.userName, `${PASSWORD}\0`],
    ['a password of 10,000 characters', kim.userName, PASSWORD.padEnd(10_000, 'x')],
    ['the stored hash of the password', kim.userName, passwordHash!],
    ['an unknown account', `nobody@${center.code}`],
    ['an unknown code', 'kim@nowhere1'],
    ['an employee without a password', `cloud@${center.code}`],
    ['a deleted employee', deleted.userName],
    ['the short account name', 'kim'],
    ['the code alone', center.code],
    ['the account name in different case', `KIM@${center.code}`],
    ['the code in different case', `kim@${center.code.toUpperCase()}`],
    ['the account twice', `${kim.userName}@${center.code}`],
    ['the mobile number', '13912345678'],
    ['the name of the employee', kim.name],
    ['the id of the employee', kim.globalId],
    ['a blank account', ' '],
    ['a control character in the account', `kim\u0001@${center.code}`],
    ['U+0000 in the account', `kim\0@${center.code}`],
    ['an account of 10,000 characters', `${'k'.repeat(10_000)}@${center.code}`],
    ['an account of 63 characters', `${'k'.repeat(63)}@${center.code}`],
    ['emoji for an account', '😀@😀'],
    ['full-width letters in the account', `ｋｉｍ@${center.code}`],
    ['SQL wildcards', `%@${center.code}`],
    ['SQL quotes', `kim'--@${center.code}`],
  ])('%s', async (_what, account, password = PASSWORD) => {
    const answer = await logIn(account, password);
    expectOAuthError(answer, 400, 'invalid_grant');
    expect(saidBy(answer)).toEqual(saidBy(wrong));
  });

  it.each([
    ['a % that encodes nothing', 'username=%&password=%zz'],
    ['bytes that are not UTF-8', 'username=%ff%fe&password=%c3%28'],
    ['half a surrogate pair', 'username=%ed%a0%80&password=%ed%b0%80'],
  ])('%s', async (_what, user) => {
    expectOAuthError(await ask(`grant_type=password&${user}`, basicOf(client)), 400, 'invalid_grant');
  });
});

describe('the password grant refuses, without counting a failed login,', async () => {
  const account = (await center.add())[0]!.userName;

  /** A form with the account, a wrong password and more parameters. */
  const formOf = (more: Record<string, string>) => ({ ...grantOf(account, 'wrong password'), ...more });

  it.each<[what: string, form: Record<string, string> | string]>([
    ['a missing username', { grant_type: 'password', password: 'wrong password' }],
    ['an empty username', formOf({ username: '' })],
    ['a missing password', { grant_type: 'password', username: account }],
    ['an empty password', formOf({ password: '' })],
    ['the username twice', `${new URLSearchParams(formOf({}))}&username=x`],
    ['the password twice', `${new URLSearchParams(formOf({}))}&password=${encodeURIComponent(PASSWORD)}`],
    ['the scope twice', `${new URLSearchParams(formOf({}))}&scope=auth_me&scope=auth_me`],
    ['a client that authenticates in both ways', formOf(inBody(client))],
    ['a body of 1 MiB', formOf({ password: 'x'.repeat(2 ** 20) })],
  ])('%s as an invalid_request', async (_what, form) => {
    expectOAuthError(await ask(form, basicOf(client)), 400, 'invalid_request');
    expect(await countFailures(account)).toBe(0);
  });

  it.each<[what: string, form: Record<string, string>, headers?: Record<string, string>]>([
    ['no client', formOf({})],
    ['a wrong secret by Basic', formOf({}), basic(client.appKey, 'wrong')],
    ['the right password of a user for an unknown client', grantOf(account, PASSWORD), basic('app', 'x')],
    ['the user for a client', formOf({ client_id: account, client_secret: PASSWORD })],
    ['a client token for the client', formOf({}), { authorization: `Bearer ${center.api.token}` }],
  ])('%s as an invalid_client', async (_what, form, headers = {}) => {
    expectOAuthError(await ask(form, headers), 401, 'invalid_client');
    expect(await countFailures(account)).toBe(0);
  });

  it.each(['pending', 'suspended'] as const)('an application that is %s, whatever the password', async (status) => {
    const own = await newApplication();
    await setApplicationStatus(stack.db, own.appKey, status);
    expectOAuthError(await logIn(account, 'wrong password', own), 400, 'unauthorized_client');
    expectOAuthError(await logIn(account, PASSWORD, own), 400, 'unauthorized_client');
    expect(await countFailures(account)).toBe(0);
    await setApplicationStatus(stack.db, own.appKey, 'approved');
    expect((await logIn(account, PASSWORD, own)).status).toBe(200);
  });

  it('an application without auth_me, whatever the password', async () => {
    const own = await newApplication({ scopes: ['auth_order'] });
    const [one, other] = [await logIn(account, 'wrong password', own), await logIn(account, PASSWORD, own)];
    expectOAuthError(one, 400, 'unauthorized_client');
    expect(one.body).toEqual(other.body);
    expect(await countFailures(account, ALL)).toBe(0);
  });

  it('a scope that does not exist, or that the application does not have', async () => {
    const own = await newApplication({ scopes: ['auth_me'] });
    for (const scope of ['auth_all', 'auth_order', 'auth_me auth_order']) {
      expectOAuthError(await ask(formOf({ scope }), basicOf(own)), 400, 'invalid_scope');
    }
    expect(await countFailures(account)).toBe(0);
  });
});

describe('ten failed logins of an account within 15 minutes lock it for 5 minutes', () => {
  let employee: Employee;
  let account: string;

  beforeEach(async () => {
    [employee] = (await center.add()) as [Employee];
    account = employee.userName;
  });

  const fail = async (count: number, by = client) => {
    const answers = await Promise.all(Array.from({ length: count }, () => logIn(account, 'wrong password', by)));
    for (const answer of answers) expectOAuthError(answer, 400, 'invalid_grant');
  };
  const haveFailed = (count: number) => seedFailures(account, count);
  const lock = async () => {
    await haveFailed(9);
    await fail(1);
  };
  const expectLocked = async () => expectOAuthError(await logIn(account, PASSWORD), 400, 'invalid_grant');
  const expectOpen = async () => expect((await logIn(account, PASSWORD)).status).toBe(200);

  it('nine do not, and a successful login does not reset the count', async () => {
    await fail(9);
    await expectOpen();
    await fail(1);
    await expectLocked();
  });

  it('for any password, with the same answer as for a wrong one', async () => {
    await haveFailed(9);
    const wrong = await logIn(account, 'wrong password');
    expect((await logIn(account, PASSWORD)).body).toEqual(wrong.body);
    expect((await logIn(account, 'wrong password')).body).toEqual(wrong.body);
  });

  it('for the application that they came through, and for no other', async () => {
    const other = await newApplication();
    await fail(10);
    await expectLocked();
    expect((await logIn(account, PASSWORD, other)).status).toBe(200);
    await fail(9, other);
    expect((await logIn(account, PASSWORD, other)).status).toBe(200);
    await fail(1, other);
    expectOAuthError(await logIn(account, PASSWORD, other), 400, 'invalid_grant');
  });

  it('everywhere after a hundred through all applications, which no single application can cause', async () => {
    const [other, third] = [await newApplication(), await newApplication()];
    // Of any number of failures through one application, ten count.
    await fail(30);
    expect(await countFailures(account, ALL)).toBe(10);
    await seedFailures(account, 88, [ALL]);
    await fail(1, other);
    expect((await logIn(account, PASSWORD, third)).status).toBe(200);
    await fail(1, other);
    for (const by of [client, other, third]) {
      expectOAuthError(await logIn(account, PASSWORD, by), 400, 'invalid_grant');
    }
    // Failures don't count while the account is locked.
    await fail(9, third);
    expect(await countFailures(account, await applicationIdOf(stack.db, third))).toBe(0);
    await passTime(account, '5 minutes');
    for (const by of [client, other, third]) expect((await logIn(account, PASSWORD, by)).status).toBe(200);
    expect(await countFailures(account, ALL)).toBe(0);
  });

  it('everywhere, and a new password ends that as well', async () => {
    await seedFailures(account, 99, [ALL]);
    await fail(1);
    await expectLocked();
    dataOf(await center.resetPassword(employee.globalId, 'battery staple'));
    expect((await logIn(account, 'battery staple')).status).toBe(200);
  });

  it('also through different API processes', async () => {
    const second = await untilTestsEnd(startAnotherApi(stack, center.api));
    const there = (password: string) => askUserToken(second.api.baseUrl, client, { account, password });
    await fail(5);
    for (let count = 0; count < 5; count++) await there('wrong password');
    await expectLocked();
    expectOAuthError(await there(PASSWORD), 400, 'invalid_grant');
  });

  it('but not other accounts', async () => {
    await lock();
    await expectLocked();
    expect((await logIn(kim.userName, PASSWORD)).status).toBe(200);
    expect((await logIn(center.account, center.password)).status).toBe(200);
  });

  it('and a failure counts for almost 15 minutes, and no longer', async () => {
    await haveFailed(5);
    await passTime(account, '14 minutes');
    await haveFailed(3);
    await fail(1);
    await passTime(account, '1 minute');
    await fail(1);
    await expectOpen();
    // The five more recent failures still count.
    await haveFailed(4);
    await fail(1);
    await expectLocked();
  });

  it('until the 5 minutes are over, whatever failures happen during the lock; then the count starts over', async () => {
    await lock();
    await fail(3);
    await passTime(account, '4 minutes 30 seconds');
    await expectLocked();
    await passTime(account, '30 seconds');
    await expectOpen();
    expect(await countFailures(account)).toBe(0);
    await haveFailed(9);
    await expectOpen();
    await fail(1);
    await expectLocked();
  });

  it('and none of many concurrent guesses succeeds after the tenth failure', async () => {
    const guesses = Array.from({ length: 30 }, (_, index) => (index === 28 ? PASSWORD : `guess number ${index}`));
    const answers = await Promise.all(guesses.map((guess) => logIn(account, guess)));
    for (const answer of answers) expectOAuthError(answer, 400, 'invalid_grant');
    await expectLocked();
  });

  it('and no login succeeds whose password is compared while the tenth failure is being stored', async () => {
    await haveFailed(9);
    const { login } = await stack.db.transaction().execute(async (trx) => {
      // Writes what the tenth failure writes. The row lock lasts until this transaction ends.
      await sql`
        update login_failure set failed_times = '{}', locked_until = now() + interval '5 minutes'
        where name_hash = ${sha256(account)} and party = ${clientId}`.execute(trx);
      const login = logIn(account, PASSWORD);
      await untilDoneOrWaiting(stack.db, login, 1);
      return { login };
    });
    expectOAuthError(await login, 400, 'invalid_grant');
  });

  it.each<[how: string, reset: () => Promise<string>]>([
    [
      'M3',
      async () => {
        dataOf(await center.resetPassword(employee.globalId, 'battery staple'));
        return 'battery staple';
      },
    ],
    ['the lockstep command', async () => (await setPassword({ db: stack.db, passwords }, employee.globalId))!.password],
  ])('until a new password is set by %s', async (_how, reset) => {
    await lock();
    const password = await reset();
    // Nine more failures don't lock it, because the earlier ones are forgotten.
    await expectLocked();
    await haveFailed(8);
    expect((await logIn(account, password)).status).toBe(200);
  });

  it('and unknown accounts are counted the same way, with as much work', async () => {
    const known = await center.add(...Array.from({ length: 10 }, () => newEmployee()));
    const accounts = [
      ...known.map(({ userName }) => userName),
      ...Array.from({ length: 10 }, () => `u${randomBytes(6).toString('hex')}@${center.code}`),
    ];
    for (const answer of await Promise.all(accounts.map((each) => logIn(each, 'wrong password')))) {
      expectOAuthError(answer, 400, 'invalid_grant');
    }
    expect(await Promise.all(accounts.map((each) => countFailures(each)))).toEqual(accounts.map(() => 1));
  });

  it('and so is an account that is created later', async () => {
    const userName = `u${randomBytes(6).toString('hex')}`;
    account = `${userName}@${center.code}`;
    await lock();
    await center.add(newEmployee({ userName }));
    await expectLocked();
  });

  it('and the account is stored as a hash, because it may have been a password', async () => {
    const typed = `typed by mistake ${randomBytes(6).toString('hex')}`;
    await logIn(typed, 'wrong password');
    expect(await countFailures(typed)).toBe(1);
    expect(await storedText(stack.db)).not.toContain(typed);
  });
});

it('a new password logs out users who log in with the old one while it is being stored', async () => {
  const own = await MemberCenter.open(stack, center.api);
  const { reset, login } = await stack.db.transaction().execute(async (trx) => {
    // The reset has changed the password and revoked the tokens, and can't commit until this transaction ends.
    await sql`lock table member_audit in share mode`.execute(trx);
    const reset = setPassword({ db: stack.db, passwords }, own.adminId);
    await untilDoneOrWaiting(stack.db, reset, 1);
    const login = logIn(own.account, own.password);
    await untilDoneOrWaiting(stack.db, login, 2);
    return { reset, login };
  });
  await reset;
  const { access_token: userToken = 'none was issued' } = (await login).body;
  const answer = await own.submitList({ pageNum: '1', pageSize: '10' }, { userToken });
  expect(refusalOf(answer)).toMatchObject({ code: '60005', cause: 'user_token_invalid' });
});

describe('the cleanup', () => {
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  const cleanup = () => new Cleanup({ db: stack.db, log, registry: new Registry(), aged: agedAccess }).run();

  it('deletes expired failures and tokens, and nothing else', async () => {
    const [old, counted, locked] = (await center.add(newEmployee(), newEmployee(), newEmployee())).map(
      ({ userName }) => userName,
    ) as [string, string, string];
    const [{ body: expired }, { body: good }] = [
      await logIn(center.account, center.password),
      await logIn(center.account, center.password),
    ];
    await Promise.all([seedFailures(old, 9), seedFailures(counted, 9), seedFailures(locked, 9)]);
    await logIn(locked, 'wrong password');
    await passTime(old, '15 minutes');
    await passTime(counted, '14 minutes');
    await passTime(locked, '4 minutes');
    const tokens = stack.db.updateTable('access_token').where('token_hash', '=', sha256(expired.access_token));
    await tokens.set({ expires_time: sql<Date>`now() - interval '1 second'` }).execute();

    await cleanup();
    expect(await hasFailureRow(old)).toBe(false);
    expect(await countFailures(counted)).toBe(9);
    expectOAuthError(await logIn(locked, PASSWORD), 400, 'invalid_grant');
    const stored = await stack.db.selectFrom('access_token').select('token_hash').execute();
    expect(stored.map(({ token_hash }) => token_hash.toString('hex'))).not.toContain(
      sha256(expired.access_token).toString('hex'),
    );
    expect(dataOf(await callWith(good.access_token))).toHaveLength(1);

    await passTime(locked, '15 minutes');
    await cleanup();
    expect(await hasFailureRow(locked)).toBe(false);
    expect((await logIn(locked, PASSWORD)).status).toBe(200);
  });
});

describe('passwords', () => {
  it('and tokens are neither stored nor logged in plain text', async () => {
    const random = () => `unmistakable ${randomBytes(6).toString('hex')}`;
    const [added, reset, wrong] = [random(), random(), random()];
    const [employee] = await center.add(newEmployee({ password: added }));
    const { userName, globalId } = employee!;
    const tokens = [await logIn(userName, added)];
    await logIn(userName, wrong);
    dataOf(await center.resetPassword(globalId, reset));
    tokens.push(await logIn(userName, reset), await ask({ ...grantOf(userName, reset), ...inBody(client) }, {}));
    await center.submitAdd([newEmployee({ userName: 'kim', password: added })]);
    await center.resetPassword('404', reset);
    await ask(`${new URLSearchParams(grantOf(userName, added))}&password=x`, basicOf(client));

    const secrets = [added, reset, wrong, client.appSecret, ...tokens.map(({ body }) => body.access_token as string)];
    const encoded = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), secret.replaceAll(' ', '+')]);
    const [stored, logged] = [await storedText(stack.db), stack.logLines.join('')];
    expect(logged).toContain('/oauth2/token');
    expect(stored).toContain(globalId);
    for (const secret of encoded) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
      expect(logged).not.toContain(secret);
    }
  });
});

it('of many employees are hashed while the service answers others', async () => {
  const ends: string[] = [];
  const noteEnd = async (name: string, work: Promise<unknown>) => {
    await work;
    ends.push(name);
  };
  const adding = noteEnd('M1', center.add(...Array.from({ length: 24 }, () => newEmployee())));
  // Two logins, one after the other. Even the first overtakes hashes of M1 that were queued before it.
  for (const name of ['first', 'second']) {
    await noteEnd(`${name} login`, logIn(kim.userName, PASSWORD));
    await noteEnd(`${name} health`, fetch(`${stack.baseUrl}/health/live`));
  }
  await adding;
  expect(ends).toEqual(['first login', 'first health', 'second login', 'second health', 'M1']);
});

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The party in login_failure that counts all applications together. */
const ALL = '';

const failureOf = (account: string, party: string) =>
  stack.db
    .selectFrom('login_failure')
    .select('failed_times')
    .where('kind', '=', 'user')
    .where('name_hash', '=', sha256(account))
    .where('party', '=', party);

/** Counts an account's failed logins on record, through one application or all together. */
async function countFailures(account: string, party: string = clientId): Promise<number> {
  return (await failureOf(account, party).executeTakeFirst())?.failed_times.length ?? 0;
}

async function hasFailureRow(account: string): Promise<boolean> {
  const rows = await Promise.all([clientId, ALL].map((party) => failureOf(account, party).executeTakeFirst()));
  return rows.some((row) => row !== undefined);
}

/** Stores `count` failed logins of a moment ago, without comparing passwords. */
async function seedFailures(account: string, count: number, parties: string[] = [clientId, ALL]): Promise<void> {
  await sql`
    insert into login_failure (kind, name_hash, party, failed_times, expires_time)
    select 'user', ${sha256(account)}, party, array_fill(now(), array[${count}::int]), now() + interval '15 minutes'
    from unnest(${parties}::text[]) as party
    on conflict (kind, name_hash, party) do update
      set failed_times = login_failure.failed_times || excluded.failed_times`.execute(stack.db);
}

async function forgetFailures(account: string): Promise<void> {
  await stack.db.deleteFrom('login_failure').where('name_hash', '=', sha256(account)).execute();
}

/** Makes an account's failed logins and its lock older by an interval. */
async function passTime(account: string, interval: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update login_failure set
      failed_times = array(select t - ${interval}::interval from unnest(failed_times) as t),
      locked_until = locked_until - ${interval}::interval,
      expires_time = expires_time - ${interval}::interval
    where name_hash = ${sha256(account)}`.execute(stack.db);
  expect(numAffectedRows).toBeGreaterThan(0n);
}
