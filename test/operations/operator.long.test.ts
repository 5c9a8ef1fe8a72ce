import type { Customer } from '@lockstep/contract';
import { ConsoleRefusal } from '@lockstep/contract/console';
import type { NewLogin } from '@lockstep/members';
import { afterAll, describe, expect, it } from 'vitest';
import { Api, dataOf, refusalOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { COMMAND, objectsIn, resultOf } from '../harness/processes/command-line.ts';
import { type Ended, endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The database commands for employees, administrators, applications and operators (rules 9). */

const { stack, api } = await testStack({ worker: false });
/** A directory without an npm start, so that the command has to use DATABASE_URL. */
const dataDir = newDataDir();
afterAll(() => endEverything());

/** Runs `npm run --silent lockstep -- …` on the stack's database. */
function lockstep(...words: string[]): Promise<Ended> {
  const command = ['npm', 'run', '--silent', 'lockstep', '--', ...words];
  return runJob(command, { DATABASE_URL: stack.url, DATA_DIR: dataDir });
}

/** Parses the account and the password that a command printed as one line of JSON. */
function loginIn(ended: Ended): NewLogin {
  expect(ended).toEqual({ status: 0, signal: null, stdout: expect.stringMatching(/^[^\n]+\n$/), stderr: '' });
  const login = JSON.parse(ended.stdout);
  expect(login).toEqual({
    account: expect.stringMatching(/^[A-Za-z0-9]+@[a-z0-9]{6,10}$/),
    password: expect.stringMatching(/^\S{8,32}$/),
  });
  expect(Object.keys(login)).toEqual(['account', 'password']);
  return login;
}

const setPassword = async (globalId: string) => loginIn(await lockstep('member', 'set-password', globalId));
const createAdmin = async (globalId: string) => loginIn(await lockstep('enterprise', 'create-admin', globalId));

const NOT_LOGGED_IN = { status: 400, body: { error: 'invalid_grant' } };
const logIn = (login: NewLogin) => askUserToken(stack.baseUrl, api.credentials, login);
async function userToken(login: NewLogin): Promise<string> {
  const answer = await logIn(login);
  expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  return answer.body.access_token;
}

it('lockstep member set-password sets a new password, and ends the old one and its sessions', async () => {
  const center = await MemberCenter.open(stack, api);
  // The cloud-licensed employee of O2 had no password.
  const [admin, cloud] = await Promise.all([setPassword(center.adminId), setPassword(center.cloudId)]);
  expect([admin.account, cloud.account]).toEqual([center.account, `cloud@${center.code}`]);
  expect(new Set([center.password, admin.password, cloud.password]).size).toBe(3);

  expect(refusalOf(await center.submitList({}))).toMatchObject({ code: '60005', cause: 'user_token_invalid' });
  expect(await logIn({ account: center.account, password: center.password })).toMatchObject(NOT_LOGGED_IN);
  for (const login of [admin, cloud]) await userToken(login);
});

describe('lockstep enterprise create-admin', () => {
  /** Returns the member center, for one administrator, of an enterprise that O1 created without employees. */
  function openCenter(customer: Customer, login: NewLogin & { userToken: string }): MemberCenter {
    const created = { enterpriseGlobalId: customer.enterpriseGlobalId, defaultType: true, members: [] };
    return new MemberCenter(api, created, customer, login);
  }

  it('creates the first administrator of an enterprise of O1, then a second one', async () => {
    const customer = await api.newCustomer();
    const first = await createAdmin(customer.enterpriseGlobalId);
    const second = await createAdmin(customer.enterpriseGlobalId);
    const code = first.account.split('@')[1]!;
    expect([first.account, second.account]).toEqual([`admin@${code}`, `admin2@${code}`]);
    expect(first.password).not.toBe(second.password);

    for (const login of [first, second]) {
      const center = openCenter(customer, { ...login, userToken: await userToken(login) });
      expect(await center.list()).toMatchObject([
        { userName: second.account, name: 'Administrator', deleted: false },
        { userName: first.account, name: 'Administrator', deleted: false },
      ]);
    }
  });

  it('creates two more for an enterprise of O2 at the same time, and either may delete the first', async () => {
    const center = await MemberCenter.open(stack, api);
    const logins = await Promise.all([createAdmin(center.enterpriseId), createAdmin(center.enterpriseId)]);
    const accounts = logins.map(({ account }) => account);
    expect(accounts.toSorted()).toEqual([`admin2@${center.code}`, `admin3@${center.code}`]);
    const [token] = await Promise.all(logins.map(userToken));
    dataOf(await center.delete(center.adminId, { userToken: token! }));
  });
});

describe('lockstep app', () => {
  const linesOf = async (...words: string[]) => objectsIn(await resultOf(lockstep(...words)));

  it('creates an application bound to channels, lists it, and replaces its secret', async () => {
    const channels = ['--channel', ' web shop ', '--channel', 'tele', '--channel', 'tele'];
    const words = ['app', 'create', '--name', ' Web shop ', '--scope', 'auth_order', '--scope', 'auth_me'];
    const [credentials] = await linesOf(...words, ...channels, '--approve');
    expect(credentials).toEqual({ appKey: expect.any(String), appSecret: expect.any(String) });
    const { appKey, appSecret } = credentials;
    const entry = {
      appKey,
      name: 'Web shop',
      scopes: ['auth_order', 'auth_me'],
      status: 'approved',
      channels: ['web shop', 'tele'],
      hearsLicenses: false,
      leadDays: [30, 7],
      createdTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      oldSecretEndTime: null,
    };
    const list = () => linesOf('app', 'list');
    const all = await list();
    expect(all).toHaveLength(2);
    expect(all[0]).toMatchObject({ appKey: api.credentials.appKey, name: 'Test', channels: null });
    expect(all[1]).toEqual(entry);

    const [rotated] = await linesOf('app', 'rotate-secret', appKey, '--overlap-hours', '1');
    expect(rotated).toEqual({ appKey, appSecret: expect.any(String) });
    const [, listed] = await list();
    expect(listed).toEqual({ ...entry, oldSecretEndTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
    for (const secret of [appSecret, rotated.appSecret]) {
      const bound = await Api.logIn(stack.baseUrl, { appKey, appSecret: secret });
      const query = { channelCode: 'crm', channelCustomerId: 'x', defaultCustomer: 'Y' };
      const answer = await bound.call('GET', '/enterprise/user/query', { query });
      expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'channel_not_allowed' });
    }
  });
});

describe('lockstep refuses with an exit status and a message of one line', () => {
  const refuse = (words: string[]) => runJob([...COMMAND, ...words], { DATABASE_URL: stack.url, DATA_DIR: dataDir });

  it('unknown ids', async () => {
    const center = await MemberCenter.open(stack, api);
    dataOf(await center.delete(center.cloudId));
    const cases = [
      ['member', 'set-password', '9223372036854775808', 'employee'],
      ['member', 'set-password', center.cloudId, 'employee'],
      ['enterprise', 'create-admin', '1', 'enterprise'],
      ['app', 'rotate-secret', 'app_nobody', 'application'],
    ] as const;
    const ended = await Promise.all(cases.map(([group, command, id]) => refuse([group, command, id])));
    expect(ended).toEqual(
      cases.map(([, , id, kind]) => {
        const { message } = new ConsoleRefusal('not_found', kind, id);
        return { status: 4, signal: null, stdout: '', stderr: `lockstep: ${message}\n` };
      }),
    );
  });
});

describe('lockstep operator', () => {
  const logInToConsole = (login: { name: string; password: string }) =>
    new ConsoleClient(stack.baseUrl, login).send('logIn', { body: login });

  it('creates operators who can log in to the console with the printed password', async () => {
    const created = await lockstep('operator', 'create', 'kim.lee', '--role', 'support');
    expect(created).toMatchObject({ status: 0, stderr: '' });
    const login = JSON.parse(created.stdout);
    expect(login).toEqual({ name: 'kim.lee', password: expect.stringMatching(/^\S{24}$/) });
    expect(await logInToConsole(login)).toMatchObject({ status: 200, body: { data: { role: 'support' } } });

    const reset = JSON.parse((await lockstep('operator', 'reset-password', 'kim.lee')).stdout);
    expect(await logInToConsole(login)).toMatchObject({ status: 401 });
    expect(await logInToConsole(reset)).toMatchObject({ status: 200 });

    expect(await lockstep('operator', 'disable', 'kim.lee')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('kim.lee'),
    });
    expect(await logInToConsole(reset)).toMatchObject({ status: 401 });
    await lockstep('operator', 'enable', 'kim.lee');
    expect(await logInToConsole(reset)).toMatchObject({ status: 200 });

    const listed = objectsIn(await resultOf(lockstep('operator', 'list')));
    expect(listed).toMatchObject([{ name: 'kim.lee', role: 'support', disabledTime: null, sessions: 1 }]);
    expect(JSON.stringify(listed)).not.toContain('assword');
  });

  it('refuses invalid changes with a message of one line', async () => {
    await lockstep('operator', 'create', 'only-admin', '--role', 'admin');
    const saying = (...refusal: ConstructorParameters<typeof ConsoleRefusal>) => new ConsoleRefusal(...refusal).message;
    for (const [expected, words, message] of [
      [2, ['create', 'only-admin', '--role', 'viewer'], saying('name_taken', 'only-admin')],
      [4, ['reset-password', 'nobody'], saying('not_found', 'operator', 'nobody')],
      [4, ['create', 'kim', '--role', 'viewer', '--channel', 'none'], saying('not_found', 'channel', 'none')],
      [2, ['disable', 'only-admin'], saying('last_admin')],
    ] as const) {
      const { status, stdout, stderr } = await lockstep('operator', ...words);
      expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
      expect(stderr).toMatch(/^lockstep: [^\n]+\n$/);
      expect(stderr).toContain(message);
    }
  });
});
