import { Deadline, isOverload, OutcomeUnknown, openDatabase, untilConfirmed, within } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addStandby, type PostgresServer, removeServers, startPrimary } from '../harness/databases/postgres-cluster.ts';

/** Commits that wait for a synchronous standby that doesn't respond. */

let primary: PostgresServer;
let standby: PostgresServer;
let db: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  primary = await startPrimary();
  standby = await addStandby(primary);
  db = openDatabase({ url: primary.databaseUrl, poolSize: 2, applicationName: 'waiting', onError: () => {} });
  await sql`create table written (text text)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await removeServers();
});

/** Waits for a session whose commit waits, and cancels its query. */
const cancelWaiting = () =>
  expect
    .poll(() => primary.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"))
    .toHaveLength(1);

const isThere = async (text: string) =>
  (await primary.query('select from written where text = $1', [text])).length === 1;

const COMMITS: [what: string, write: (text: string, to?: typeof db) => Promise<unknown>][] = [
  ['of a statement', (text, to = db) => sql`insert into written values (${text})`.execute(to)],
  [
    'of a transaction',
    (text, to = db) => to.transaction().execute((trx) => sql`insert into written values (${text})`.execute(trx)),
  ],
];

/** Waits until a commit has waited for three seconds. */
const untilOneHasWaited = () => {
  const waited = "wait_event = 'SyncRep' and clock_timestamp() - query_start > interval '3 seconds'";
  return expect.poll(() => primary.query(`select from pg_stat_activity where ${waited}`)).not.toEqual([]);
};

it.each(COMMITS)(
  'the commit %s has an unknown outcome if its wait is cancelled, although the primary has it',
  async (what, write) => {
    standby.pause();
    const writing = write(what);
    writing.catch(() => {});
    await cancelWaiting();
    await expect(writing).rejects.toThrow(OutcomeUnknown);
    expect(await isThere(what)).toBe(true);
    standby.resume();
    await write(`${what}, later`);
    expect(await isThere(`${what}, later`)).toBe(true);
  },
);

it('a read is confirmed only once the standby has what was read', async () => {
  standby.pause();
  const writing = sql`insert into written values ('read too early')`.execute(db);
  writing.catch(() => {});
  await cancelWaiting();
  await expect(writing).rejects.toThrow(OutcomeUnknown);
  expect(await isThere('read too early')).toBe(true);
  const confirming = untilConfirmed(db);
  await expect
    .poll(() => primary.query("select query from pg_stat_activity where wait_event = 'SyncRep'"))
    .toEqual([{ query: expect.stringContaining('pg_logical_emit_message') }]);
  standby.resume();
  await confirming;
});

it('statement_timeout does not end the wait', async () => {
  const insert = (text: string) =>
    db.connection().execute(async (session) => {
      await sql`set statement_timeout = 1000`.execute(session);
      await sql`insert into written values (${text})`.execute(session);
      await sql`reset statement_timeout`.execute(session);
    });
  const first = insert('patient');
  standby.pause();
  const second = insert('patient too');
  await untilOneHasWaited();
  standby.resume();
  await Promise.all([first, second]);
  expect([await isThere('patient'), await isThere('patient too')]).toEqual([true, true]);
});

it.each(COMMITS)(
  'a deadline during the commit %s is not reported as overload, because the data is stored',
  async (what, write) => {
    const text = `${what}, with a deadline`;
    standby.pause();
    const failing = write(text, within(db, new Deadline(1_000))).catch((error: unknown) => error);
    await untilOneHasWaited();
    standby.resume();
    expect(isOverload(await failing)).toBe(false);
    await expect.poll(() => isThere(text)).toBe(true);
  },
);
