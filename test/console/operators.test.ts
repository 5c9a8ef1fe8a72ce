import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { OperatorRole } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConsoleClient } from '../harness/browser/console.ts';
import { testStack } from '../harness/stack.ts';

/** Operators in the console, managed by admins, and their audit log. */
let admin: ConsoleClient;

const { stack } = await testStack({ worker: false });
beforeEach(async () => {
  await sql`update operator set disabled_time = now() where disabled_time is null`.execute(stack.db);
  admin = await ConsoleClient.logIn(stack, 'admin');
});

const newName = () => `op-${randomUUID().slice(0, 8)}`;
const findOne = async (name: string) =>
  (await admin.call('listOperators')).operators.find((operator) => operator.name === name);
const isLoggedIn = async (client: ConsoleClient) => (await client.send('getMe')).status === 200;
const setRole = (by: ConsoleClient, name: string, role: OperatorRole) =>
  by.send('setOperatorRole', { params: { name }, body: { role } });

describe('an operator', () => {
  it('is created with a password that is shown once, and logs in with it', async () => {
    const login = await admin.call('createOperator', { body: { name: newName(), role: 'support' } });
    expect(await findOne(login.name)).toEqual({
      operatorId: expect.stringMatching(/^\d+$/),
      name: login.name,
      role: 'support',
      channels: null,
      byProvider: false,
      createdTime: expect.any(Number),
      disabledTime: null,
      sessions: 0,
      lastUsedTime: null,
    });
    const client = new ConsoleClient(stack.baseUrl, login);
    expect(await client.call('logIn', { body: login })).toMatchObject({ name: login.name, role: 'support' });
    expect(await findOne(login.name)).toMatchObject({ sessions: 1, lastUsedTime: expect.any(Number) });
    expect(JSON.stringify(await admin.call('listAuditLog', {}))).not.toContain(login.password);
  });

  it('has a unique name of valid characters', async () => {
    const body = { name: newName(), role: 'viewer' as const };
    await admin.call('createOperator', { body });
    expect(await admin.send('createOperator', { body })).toMatchObject({ status: 409, body: { cause: 'name_taken' } });
    for (const name of ['Upper', 'a b', '<b>', '-a', 'a'.repeat(64)]) {
      const { body: answer } = await admin.send('createOperator', { body: { ...body, name } });
      expect(answer.cause).toBe('field_invalid');
    }
  });

  it('gets another role, which takes effect with the next call', async () => {
    const other = await ConsoleClient.logIn(stack, 'viewer');
    const { name } = other.login;
    expect((await other.send('listAuditLog')).status).toBe(403);
    await setRole(admin, name, 'support');
    expect((await other.send('listAuditLog')).status).toBe(200);
    const changed = { action: 'operator.role_changed', before: { role: 'viewer' }, after: { role: 'support' } };
    expect(await admin.changesOf(name)).toContainEqual(changed);
  });

  it('is disabled immediately in all sessions, and enabled again', async () => {
    const other = await ConsoleClient.logIn(stack, 'viewer');
    const { name } = other.login;
    await admin.call('disableOperator', { params: { name } });
    expect(await isLoggedIn(other)).toBe(false);
    expect((await other.send('logIn', { body: other.login })).body.cause).toBe('login_failed');
    expect(await findOne(name)).toMatchObject({ disabledTime: expect.any(Number), sessions: 0 });
    await admin.call('enableOperator', { params: { name } });
    expect(await isLoggedIn(other)).toBe(false);
    await other.call('logIn', { body: other.login });
    expect((await admin.changesOf(name)).map(({ action }) => action).slice(0, 4)).toEqual([
      'operator.logged_in',
      'operator.enabled',
      'operator.log_in_failed',
      'operator.disabled',
    ]);
  });

  it('gets a new password, which ends their sessions and the old one', async () => {
    const other = await ConsoleClient.logIn(stack, 'support');
    const { name } = other.login;
    const login = await admin.call('resetOperatorPassword', { params: { name } });
    expect(await isLoggedIn(other)).toBe(false);
    expect((await other.send('logIn', { body: other.login })).status).toBe(401);
    await other.call('logIn', { body: login });
  });
});

describe('the last active admin', () => {
  it("can't be disabled or demoted", async () => {
    const { name } = admin.login;
    const lastAdmin = { status: 409, body: { cause: 'last_admin' } };
    expect(await setRole(admin, name, 'support')).toMatchObject(lastAdmin);
    expect(await admin.send('disableOperator', { params: { name } })).toMatchObject(lastAdmin);
    expect(await isLoggedIn(admin)).toBe(true);
  });

  it.each(['disableOperator', 'setOperatorRole'] as const)(
    'stays when two admins call %s on each other',
    async (id) => {
      const other = await ConsoleClient.logIn(stack, 'admin');
      const change = (by: ConsoleClient, of: ConsoleClient) =>
        by.send(id, { params: { name: of.login.name }, body: { role: 'viewer' } } as never);
      const answers = await Promise.all([change(admin, other), change(other, admin)]);
      // The second is no longer an admin, or would remove the last one.
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const { rows } = await sql`
        select name from operator where role = 'admin' and disabled_time is null`.execute(stack.db);
      expect(rows).toHaveLength(1);
    },
  );
});

describe('the audit log', () => {
  it('is read newest first, in pages, by operator, action and target, with the request id', async () => {
    const names = [newName(), newName(), newName()];
    for (const name of names) await admin.call('createOperator', { body: { name, role: 'viewer' } });
    const query = { operator: admin.login.name, action: 'operator.created', limit: '2' };
    const first = await admin.call('listAuditLog', { query });
    expect(first.entries).toMatchObject([{ target: names[2] }, { target: names[1] }]);
    const { time } = first.entries[0]!;
    const since = { ...query, recordedFrom: String(time), recordedTo: String(time) };
    expect((await admin.call('listAuditLog', { query: since })).entries).toMatchObject([{ target: names[2] }]);
    const rest = await admin.call('listAuditLog', { query: { ...query, cursor: first.nextCursor! } });
    expect(rest).toEqual({
      entries: [
        {
          entryId: expect.stringMatching(/^\d+$/),
          time: expect.any(Number),
          operator: admin.login.name,
          actor: null,
          action: 'operator.created',
          target: names[0],
          before: null,
          after: { role: 'viewer' },
          requestId: expect.any(String),
        },
      ],
      nextCursor: null,
    });
    expect(stack.logLines.join('')).toContain(rest.entries[0]!.requestId);
    expect((await admin.call('listAuditLog', { query: { operator: 'nobody' } })).entries).toEqual([]);
  });

  it('names the system user who ran the command', async () => {
    const { entries } = await admin.call('listAuditLog', { query: { target: admin.login.name } });
    expect(entries.at(-1)).toMatchObject({
      operator: null,
      actor: `${userInfo().username}@${hostname()}`,
      action: 'operator.created',
      after: { role: 'admin' },
    });
  });

  it('refuses a cursor of another list', async () => {
    const { nextCursor } = await admin.call('listAuditLog', { query: { limit: '1' } });
    const answer = await admin.send('listAuditLog', { query: { action: 'operator.created', cursor: nextCursor! } });
    expect(answer.body).toMatchObject({ cause: 'field_invalid' });
  });
});
