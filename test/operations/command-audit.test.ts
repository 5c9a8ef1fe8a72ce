import { mkdirSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { buildProgram, prepareDemo } from '@lockstep/cli/testing';
import type { Command } from 'commander';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { contentOfTables } from '../harness/databases/tables.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { newDataDir } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The audit log records what the lockstep command changes (rules 9). */
const { stack, api } = await testStack({ worker: false });
const center = await MemberCenter.open(stack, api);
const { appKey } = (await stack.newApi()).credentials;
const [order] = await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
const { licenseOrderId } = order!;
// So that the customer has a contact.
await api.carryOut(newBuy(center.customer, [newAssetNum()]));

const build = () => buildProgram({ DATABASE_URL: stack.url, DATA_DIR: newDataDir() });

/** Runs the command in this process without its output. */
async function lockstep(...words: string[]): Promise<void> {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await build().parseAsync(words, { from: 'user' });
  } finally {
    printed.mockRestore();
  }
}

/** Lists all commands that are not groups, with their words. */
function listCommands(command: Command, words: readonly string[] = []): { words: string; command: Command }[] {
  if (command.commands.length === 0) return [{ words: words.join(' '), command }];
  return command.commands.flatMap((each) => listCommands(each, [...words, each.name()]));
}
/** Whether a command calls the API as an application. The audit log does not record calls of applications. */
const callsApi = (command: Command) => command.options.some(({ long }) => long === '--base-url');

/** Commands that change nothing. */
const READING: [command: string, ...args: string[]][] = [
  ['app list'],
  ['channel list'],
  ['channel show', 'test'],
  ['operator list'],
  ['completion', 'bash'],
  ['complete', ''],
];
/** test/operations/backup.long.test.ts checks their entries. */
const OF_EMBEDDED = ['database backup', 'database restore'];
/** Commands that work on a database of their own. */
const OF_SANDBOX = ['certify'];
/** Every other command, with its arguments and its entry, in an order in which they can run. */
const CHANGING: [command: string, args: string[], action: string, target?: string][] = [
  ['app create', ['--name', 'Shop', '--scope', 'auth_order'], 'application.created'],
  ['app suspend', [appKey], 'application.suspended', appKey],
  ['app approve', [appKey], 'application.approved', appKey],
  [
    'app notices',
    [appKey, '--events-of-licenses', 'yes', '--lead-days', '60,7'],
    'application.notices_changed',
    appKey,
  ],
  ['app rotate-secret', [appKey, '--overlap-hours', '0'], 'application.secret_rotated', appKey],
  ['member set-password', [center.cloudId], 'employee.password_reset', center.cloudId],
  ['enterprise create-admin', [center.enterpriseId], 'administrator.created'],
  ['enterprise set-mobile', [center.enterpriseId, '13800009999'], 'enterprise.mobile_set', center.enterpriseId],
  ['customer erase-contact', [center.customer.customerId], 'customer.contact_erased', center.customer.customerId],
  ['operator create', ['kim', '--role', 'viewer'], 'operator.created', 'kim'],
  ['operator reset-password', ['kim'], 'operator.password_reset', 'kim'],
  ['operator link', ['kim'], 'operator.linked', 'kim'],
  ['operator disable', ['kim'], 'operator.disabled', 'kim'],
  ['operator enable', ['kim'], 'operator.enabled', 'kim'],
  ['order fail', [licenseOrderId, '--reason', 'ticket 4711'], 'order.failed', licenseOrderId],
  ['order retry', [licenseOrderId], 'order.retried', licenseOrderId],
  ['channel pause', ['test', '--reason', 'ticket 4711'], 'channel.paused', 'test'],
  ['channel resume', ['test'], 'channel.resumed', 'test'],
  ['database skip-ids', [], 'database.ids_skipped'],
];

it('every command is listed here as reading or recorded, or calls the API', () => {
  const onDatabase = listCommands(build()).filter(({ command }) => !callsApi(command));
  const known = [
    ...READING.map(([words]) => words),
    ...OF_EMBEDDED,
    ...OF_SANDBOX,
    ...CHANGING.map(([words]) => words),
  ];
  expect(onDatabase.map(({ words }) => words).toSorted()).toEqual(known.toSorted());
});

it.each(READING)('%s changes nothing', async (words, ...args) => {
  const before = await contentOfTables(stack.db);
  await lockstep(...words.split(' '), ...args);
  expect(await contentOfTables(stack.db)).toEqual(before);
});

/** Returns the entries that `work` adds to the audit log. */
async function entriesOf(work: () => Promise<unknown>) {
  const query = stack.db.selectFrom('operator_audit').select((eb) => eb.fn.max<string | null>('id').as('max'));
  const { max } = await query.executeTakeFirstOrThrow();
  await work();
  return await stack.db
    .selectFrom('operator_audit')
    .select(['operator_id', 'actor', 'action', 'target', 'request_id', sql<string>`xmin::text`.as('transaction')])
    .where('id', '>', max ?? '0')
    .orderBy('id')
    .execute();
}

const ACTOR = `${userInfo().username}@${hostname()}`;

it.each(CHANGING)('%s adds an entry with the system user, in the same transaction', async (...each) => {
  const [words, args, action, target] = each;
  const entries = await entriesOf(() => lockstep(...words.split(' '), ...args));
  expect(entries).toEqual([
    {
      operator_id: null,
      actor: ACTOR,
      action,
      target: target ?? (action.startsWith('database.') ? null : expect.any(String)),
      request_id: expect.stringMatching(/^command-/),
      transaction: expect.any(String),
    },
  ]);
  // What is erased leaves no row.
  const isErased = action === 'customer.contact_erased';
  if (!isErased) expect(await tablesOf(entries[0]!.transaction)).not.toEqual([]);
  else expect(await stack.db.selectFrom('customer_contact').select('customer_id').execute()).toEqual([]);
});

/** Returns the tables, other than the audit log, whose rows a transaction wrote. */
async function tablesOf(transaction: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'operator_audit'`.execute(stack.db);
  const looks = tables.map(
    ({ name }) => sql`
      select ${sql.lit(name)} as name where exists (select from ${sql.table(name)} where xmin::text = ${transaction})`,
  );
  const { rows } = await sql<{ name: string }>`${sql.join(looks, sql` union all `)}`.execute(stack.db);
  return rows.map(({ name }) => name);
}

it('records a change of an employee under one request id in both audit logs', async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from operator_audit join member_audit using (request_id)
    where operator_audit.action in ('employee.password_reset', 'administrator.created')
      and operator_audit.target = target_id::text`.execute(stack.db);
  expect(rows).toEqual([{ count: 2 }]);
});

it('npm start records the application, password and operator of the demo once, and each login link', async () => {
  const dataDir = newDataDir();
  mkdirSync(dataDir);
  const start = () => prepareDemo(stack.url, join(dataDir, 'demo.json'), stack.baseUrl);
  let appKey = '';
  const entries = await entriesOf(async () => {
    ({ appKey } = (await start()).demo);
  });
  expect(entries).toMatchObject([
    { actor: ACTOR, action: 'application.created', target: appKey },
    { actor: ACTOR, action: 'employee.password_reset', target: '3001' },
    { actor: ACTOR, action: 'operator.created', target: 'demo' },
    { actor: ACTOR, action: 'operator.link_created', target: 'demo' },
  ]);
  const linkOnly = [{ actor: ACTOR, action: 'operator.link_created', target: 'demo' }];
  expect(await entriesOf(start)).toMatchObject(linkOnly);
});
