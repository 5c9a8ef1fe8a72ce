import { randomUUID } from 'node:crypto';
import { PasswordHasher } from '@lockstep/access';
import { consoleCauses, consoleOperations, includesRole, OperatorRole } from '@lockstep/contract/console';
import {
  createLogInToken,
  disableOperator,
  enableOperator,
  newCommand,
  resetOperatorPassword,
} from '@lockstep/operators';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ConsoleClient, newOperator } from '../harness/browser/console.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack } from '../harness/stack.ts';

/** Logins and sessions of the console (rules 9). */

const { stack } = await testStack({ worker: false });

const logIn = (role: OperatorRole = 'viewer') => ConsoleClient.logIn(stack, role);
/** A new operator who has not logged in. */
const newClient = async (baseUrl = stack.baseUrl) => new ConsoleClient(baseUrl, await newOperator(stack, 'viewer'));
const refusal = (cause: keyof typeof consoleCauses) => {
  const { status } = consoleCauses[cause];
  return { status, body: { code: String(status), cause } };
};
/** The same operator in another browser. */
async function elsewhere({ login }: ConsoleClient): Promise<ConsoleClient> {
  const client = new ConsoleClient(stack.baseUrl, login);
  await client.call('logIn', { body: login });
  return client;
}
const auditLogOf = async (target: string, actions: readonly string[]) => {
  const admin = await logIn('admin');
  const { entries } = await admin.call('listAuditLog', { query: { target } });
  return entries.filter(({ action }) => actions.includes(action)).toReversed();
};
/** The audit log's entries of failed logins of a name, oldest first. */
const failuresOf = async (name: string) =>
  (await auditLogOf(name, ['operator.log_in_failed', 'operator.locked_out'])).map(
    ({ action, operator, actor, after }) => {
      expect(operator).toBeNull();
      return { action, actor, after };
    },
  );
const sessionsOf = ({ login }: ConsoleClient) =>
  stack.db
    .selectFrom('operator_session')
    .innerJoin('operator', 'operator.id', 'operator_id')
    .select(['used_time', 'expires_time', 'end_time', 'operator_session.created_time'])
    .where('name', '=', login.name)
    .execute();
const hurry = ({ login }: ConsoleClient, column: 'expires_time' | 'used_time', by: string) =>
  sql`update operator_session set ${sql.ref(column)} = ${sql.ref(column)} - ${by}::interval
    where operator_id = (select id from operator where name = ${login.name})`.execute(stack.db);

describe('a login', () => {
  it('sets a cookie that no script can read and no other site can send, over TLS only behind TLS', async () => {
    const client = await newClient();
    const { login } = client;
    const plain = await client.send('logIn', { body: login });
    expect(plain.headers.get('set-cookie')).toMatch(
      /^lockstep_operator=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    const proxied = await client.send('logIn', { body: login }, { 'x-forwarded-proto': 'https' });
    expect(proxied.headers.get('set-cookie')).toMatch(/; Secure/);
  });

  it('is scoped to the path where browsers find the service', async () => {
    const api = await stack.newApi();
    const { close, api: another } = await startAnotherApi(stack, api, { publicUrl: 'https://licenses.example/shop' });
    const client = await newClient(another.baseUrl);
    const { headers } = await client.send('logIn', { body: client.login });
    expect(headers.get('set-cookie')).toMatch(/; Path=\/shop\/console; HttpOnly; Secure; SameSite=Strict$/);
    await close();
  });

  it('with a wrong name or a wrong password is refused the same way', async () => {
    const client = await newClient();
    const { login } = client;
    const wrong = await client.send('logIn', { body: { ...login, password: 'wrong' } });
    const unknown = await client.send('logIn', { body: { name: 'nobody', password: login.password } });
    expect(wrong).toMatchObject(refusal('login_failed'));
    expect(unknown.body).toEqual(wrong.body);
    expect(client.cookie).toBe('');
  });

  it('is locked for an address after ten failures, even with the correct password, and counts nothing meanwhile', async () => {
    const client = await newClient();
    const { login } = client;
    for (let failure = 1; failure <= 10; failure++) {
      await client.send('logIn', { body: { ...login, password: 'wrong' } });
    }
    expect(await client.send('logIn', { body: login })).toMatchObject(refusal('login_failed'));
    // When the lock has ended:
    await sql`update login_failure set locked_until = now()`.execute(stack.db);
    expect(await client.send('logIn', { body: login })).toMatchObject({ status: 200 });
  });

  it('that fails is in the audit log once per address in 15 minutes, and so is each lockout', async () => {
    const { api: proxied, close } = await startAnotherApi(stack, await stack.newApi(), {
      publicUrl: 'https://licenses.example',
    });
    const login = await newOperator(stack, 'viewer');
    const client = new ConsoleClient(proxied.baseUrl, login);
    const fail = async (address: string, name = login.name, times = 1) => {
      for (let time = 1; time <= times; time++) {
        const body = { name, password: 'wrong' };
        const answer = await client.send('logIn', { body }, { 'x-forwarded-for': address });
        expect(answer).toMatchObject(refusal('login_failed'));
      }
    };
    const failed = (actor: string) => ({ action: 'operator.log_in_failed', actor, after: null });
    const lockedOut = (actor: string, lockedFor: string) => ({
      action: 'operator.locked_out',
      actor,
      after: { lockedFor, untilTime: expect.any(Number) },
    });
    const here = '203.0.113.7';
    const there = '203.0.113.8';
    const expected = [failed(here), failed(there), lockedOut(here, 'this address')];
    await fail(here, login.name, 2);
    await fail(there);
    await fail(here, login.name, 8);
    // While the name is locked nothing counts.
    await fail(here, login.name, 2);
    expect(await failuresOf(login.name)).toEqual(expected);

    const age = (column: string) =>
      sql`update login_failure set ${sql.ref(column)} = ${sql.ref(column)} - interval '15 minutes'`.execute(stack.db);
    await age('locked_until');
    await fail(here, login.name, 2);
    expect(await failuresOf(login.name)).toEqual(expected);
    await age('first_time');
    await fail(here);
    expect(await failuresOf(login.name)).toEqual([...expected, failed(here)]);

    await sql`update login_failure set failed_times = array_fill(now(), array[99]) where party = ''`.execute(stack.db);
    await fail('203.0.113.9');
    expect((await failuresOf(login.name)).slice(4)).toEqual([
      failed('203.0.113.9'),
      lockedOut('203.0.113.9', 'all addresses'),
    ]);

    await fail(here, 'nobody-at-all', 10);
    expect(await failuresOf('nobody-at-all')).toEqual([]);
    const disabled = await newOperator(stack, 'viewer');
    await disableOperator(stack.db, disabled.name, newCommand());
    await fail(here, disabled.name);
    expect(await failuresOf(disabled.name)).toEqual([failed(here)]);
    await close();
  });

  it('is kept out of the log', async () => {
    const { login } = await logIn();
    expect(stack.logLines.join('\n')).not.toContain(login.password);
  });

  it('is in the audit log with its request id', async () => {
    const login = await newOperator(stack, 'viewer');
    const { headers } = await new ConsoleClient(stack.baseUrl, login).send('logIn', { body: login });
    const { rows } = await sql`
      select action, request_id from operator_audit where target = ${login.name} order by id`.execute(stack.db);
    expect(rows).toEqual([
      { action: 'operator.created', request_id: expect.stringMatching(/^command-/) },
      { action: 'operator.logged_in', request_id: headers.get('x-request-id') },
    ]);
  });
});

describe('a login link', () => {
  const newToken = async ({ name }: { name: string }) => (await createLogInToken(stack.db, name, newCommand()))!;
  /** Uses a token in a browser of its own. */
  const use = (token: string, headers = {}) =>
    new ConsoleClient(stack.baseUrl, { name: '', password: '' }).send('logInByLink', { body: { token } }, headers);
  const refused = refusal('log_in_link_invalid');

  it('logs its operator in once, and is in the audit log', async () => {
    const login = await newOperator(stack, 'admin');
    const token = await newToken(login);
    const first = await use(token);
    expect(first).toMatchObject({ status: 200, body: { data: { name: login.name, role: 'admin' } } });
    expect(first.headers.get('set-cookie')).toMatch(
      /^lockstep_operator=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    expect(await use(token)).toMatchObject(refused);
    expect(await auditLogOf(login.name, ['operator.link_created', 'operator.logged_in'])).toMatchObject([
      { action: 'operator.link_created', operator: null, after: null },
      { action: 'operator.logged_in', operator: login.name, after: { by: 'link' } },
    ]);
  });

  it('is used up by one of many concurrent calls', async () => {
    const token = await newToken(await newOperator(stack, 'viewer'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('works for 30 minutes', async () => {
    const login = await newOperator(stack, 'viewer');
    const age = (by: string) =>
      sql`
        update operator set link_expires_time = link_expires_time - ${by}::interval
        where name = ${login.name}`.execute(stack.db);
    const inTime = await newToken(login);
    await age('29 minutes');
    expect(await use(inTime)).toMatchObject({ status: 200 });
    const late = await newToken(login);
    await age('30 minutes');
    expect(await use(late)).toMatchObject(refused);
  });

  it('ends with the next link, a new password, and when its operator is disabled', async () => {
    const login = await newOperator(stack, 'viewer');
    const replaced = await newToken(login);
    const beforePassword = await newToken(login);
    expect(await use(replaced)).toMatchObject(refused);
    await resetOperatorPassword({ db: stack.db, passwords: new PasswordHasher() }, login.name, newCommand());
    expect(await use(beforePassword)).toMatchObject(refused);
    const beforeDisabled = await newToken(login);
    await disableOperator(stack.db, login.name, newCommand());
    expect(await createLogInToken(stack.db, login.name, newCommand())).toBeUndefined();
    await enableOperator(stack.db, login.name, newCommand());
    expect(await use(beforeDisabled)).toMatchObject(refused);
  });

  it('with an unknown token or from another page is refused', async () => {
    const token = await newToken(await newOperator(stack, 'viewer'));
    expect(await use('')).toMatchObject(refused);
    expect(await use(`${token}x`)).toMatchObject(refused);
    expect(await use(token, { 'sec-fetch-site': 'cross-site' })).toMatchObject(refusal('request_forged'));
    expect(await use(token)).toMatchObject({ status: 200 });
  });

  it('is stored hashed, and kept out of the log', async () => {
    const login = await newOperator(stack, 'viewer');
    const token = await newToken(login);
    const stored = await stack.db.selectFrom('operator').selectAll().where('name', '=', login.name).execute();
    expect(JSON.stringify(stored)).not.toContain(token);
    await use(token);
    await use(token);
    await use(token.repeat(10));
    expect(stack.logLines.join('\n')).not.toContain(token);
  });
});

describe('a session', () => {
  it('ends with the logout, but not in another browser', async () => {
    const here = await logIn();
    const there = await elsewhere(here);
    const { cookie } = here;
    const [one, other] = await Promise.all([here.send('logOut'), here.send('logOut')]);
    expect([one.status, other.status]).toContain(200);
    expect(here.cookie).toBe('');
    const recorded = await auditLogOf(here.login.name, ['operator.logged_out']);
    expect(recorded).toMatchObject([{ operator: here.login.name, before: null, after: null }]);
    expect([one, other].map(({ headers }) => headers.get('x-request-id'))).toContain(recorded[0]!.requestId);
    here.cookie = cookie;
    expect(await here.send('getMe')).toMatchObject(refusal('not_logged_in'));
    expect(await there.send('getMe')).toMatchObject({ status: 200 });
  });

  it('ends after 30 minutes without use', async () => {
    const operator = await logIn();
    await hurry(operator, 'used_time', '29 minutes');
    await operator.call('getMe');
    const [session] = await sessionsOf(operator);
    const minutesLeft = (session!.expires_time.getTime() - session!.used_time.getTime()) / 60_000;
    expect(minutesLeft).toBeCloseTo(30, 0);
    await hurry(operator, 'expires_time', '30 minutes');
    expect(await operator.send('getMe')).toMatchObject(refusal('not_logged_in'));
  });

  it('is not kept alive by automatic calls', async () => {
    const operator = await logIn();
    await hurry(operator, 'used_time', '10 minutes');
    const before = await sessionsOf(operator);
    await operator.send('getMe', {}, { 'x-lockstep-console': 'automatic' });
    expect(await sessionsOf(operator)).toEqual(before);
  });

  it('ends after twelve hours, however much it is used', async () => {
    const operator = await logIn();
    const [{ created_time: began, end_time: end } = { created_time: new Date(), end_time: new Date() }] =
      await sessionsOf(operator);
    expect((end.getTime() - began.getTime()) / 3_600_000).toBeCloseTo(12, 1);
    await sql`
      update operator_session set expires_time = now() + interval '1 minute', end_time = now() + interval '1 minute',
        used_time = used_time - interval '20 minutes'
      where operator_id = (select id from operator where name = ${operator.login.name})`.execute(stack.db);
    await operator.call('getMe');
    const [after] = await sessionsOf(operator);
    expect(after!.expires_time).toEqual(after!.end_time);
  });

  it('ends with a new password in every other browser', async () => {
    const here = await logIn();
    const there = await elsewhere(here);
    const { password } = here.login;
    // As long as a password may be, in characters that are sent as two.
    const newPassword = `${randomUUID()}${'é'.repeat(92)}`.normalize('NFD');
    expect(await here.send('changeOwnPassword', { body: { password: 'wrong', newPassword } })).toMatchObject(
      refusal('password_wrong'),
    );
    expect(await here.send('changeOwnPassword', { body: { password, newPassword: 'short' } })).toMatchObject({
      status: 400,
      body: { cause: 'field_invalid', message: expect.stringMatching(/^newPassword: /) },
    });
    const short = '한국어한'.normalize('NFD');
    expect(await here.send('changeOwnPassword', { body: { password, newPassword: short } })).toMatchObject({
      body: { cause: 'field_invalid' },
    });
    const { cookie } = here;
    await here.call('changeOwnPassword', { body: { password, newPassword } });
    expect(here.cookie).not.toBe(cookie);
    expect(await here.send('getMe')).toMatchObject({ status: 200 });
    expect(await there.send('getMe')).toMatchObject(refusal('not_logged_in'));
    const old = new ConsoleClient(stack.baseUrl, here.login);
    expect(await old.send('logIn', { body: here.login })).toMatchObject(refusal('login_failed'));
  });

  it('is one of at most 20 of its operator', async () => {
    const first = await logIn();
    for (let more = 1; more <= 20; more++) await elsewhere(first);
    expect(await sessionsOf(first)).toHaveLength(20);
    expect(await first.send('getMe')).toMatchObject(refusal('not_logged_in'));
  });
});

describe('a request from another site', () => {
  it('is refused, whatever cookie the browser sends along', async () => {
    const operator = await logIn();
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'x-lockstep-console': '' },
    ]) {
      expect(await operator.send('logOut', {}, headers)).toMatchObject(refusal('request_forged'));
    }
    expect(await operator.send('getMe')).toMatchObject({ status: 200 });
  });
});

describe('the table of operations', () => {
  const ids = Object.keys(consoleOperations) as (keyof typeof consoleOperations)[];
  const valuesFor = (path: string) =>
    Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, '1']));

  it('needs no session for logging in alone', () => {
    const ofAnybody = ids.filter((id) => consoleOperations[id].role === 'anybody');
    expect(ofAnybody).toEqual(['logIn', 'logInByLink', 'beginProviderLogIn', 'logInByProvider']);
  });

  it.each(OperatorRole.options)(
    'holds for %s: operations of higher roles are refused before anything is read',
    async (role) => {
      const operator = await logIn(role);
      for (const id of ids) {
        const { role: least, path, method } = consoleOperations[id];
        if (least === 'anybody' || includesRole(role, least)) continue;
        const body = method === 'GET' ? undefined : {};
        const answer = await operator.send(id, { params: valuesFor(path), body } as never);
        expect([id, answer.status, answer.body.cause]).toEqual([id, 403, 'role_missing']);
      }
    },
  );

  it('lets viewers change only their own session', () => {
    const changes = ids.filter(
      (id) => consoleOperations[id].role === 'viewer' && consoleOperations[id].method !== 'GET',
    );
    expect(changes.sort()).toEqual(['changeOwnPassword', 'logOut', 'previewBatch']);
  });

  const BODIES: Partial<Record<(typeof ids)[number], object>> = {
    checkResend: { channelOrderId: 'again', orderList: [{}] },
    resendOrders: { channelOrderId: 'again', orderList: [{}] },
    failOrder: { reason: 'ticket 4711' },
    setSecurityMobile: { securityMobile: '13812340001' },
    rotateApplicationSecret: { overlapHours: 1 },
    bindApplication: { channels: null, shownChannels: null },
    pauseChannel: { reason: 'ticket 4711' },
    setOperatorRole: { role: 'viewer' },
    setOperatorChannels: { channels: null },
  };

  it.each(ids.filter((id) => consoleOperations[id].path.includes('{')))(
    'refuses an id that does not exist: %s',
    async (id) => {
      const admin = await logIn('admin');
      const { path, method } = consoleOperations[id];
      const isText = /\{(assetNum|appKey|channelCode|name)\}/.test(path);
      for (const missing of isText ? ['nobody', 'none/../<b>%00'] : ['999999999', '9999999999999999999', '0']) {
        const params = Object.fromEntries(Object.keys(valuesFor(path)).map((name) => [name, missing]));
        const body = method === 'GET' ? undefined : (BODIES[id] ?? {});
        const answer = await admin.send(id, { params, body } as never);
        expect([missing, answer.status, answer.body.cause]).toEqual([missing, 404, 'not_found']);
        expect(answer.body.message).toContain(missing);
      }
    },
  );
});
