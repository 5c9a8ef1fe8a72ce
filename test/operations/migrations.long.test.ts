import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASE } from '@lockstep/config';
import { migrateToLatest } from '@lockstep/platform';
import { findLacking, readMigrations } from '@lockstep/platform/testing';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { laterRelease } from '../harness/databases/more-migrations.ts';
import { countWaiting, untilDisconnected } from '../harness/databases/waiting.ts';
import { endEverything, startJob } from '../harness/processes/processes.ts';
import { createTestDatabase, type TestDatabase, untilTestsEnd } from '../harness/stack.ts';

/**
 * How the migrations of a later release run on a database that works: one after the other, and never all or nothing.
 */

const PATIENTLY = { timeout: 60_000 };

afterEach(async () => {
  vi.useRealTimers();
  await endEverything();
});

const newDatabase = (options?: { migrated: boolean }) => untilTestsEnd(createTestDatabase(options));

/** Opens a session that ends with the test. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await untilTestsEnd(Promise.resolve({ close: () => client.end() }));
  return client;
}

const run = ({ db }: TestDatabase, statements: string) => sql.raw(statements).execute(db);

const isThere = async (database: TestDatabase, table: string) =>
  (await run(database, `select where to_regclass('${table}') is not null`)).rows.length === 1;

const OWN_TABLE = 'create table note (id bigint primary key, text text);';

describe('migrations', () => {
  it('run once, in their order, when several processes start together', async () => {
    const database = await newDatabase({ migrated: false });
    const release = laterRelease({
      '9001_note.sql': OWN_TABLE,
      '9002_more.sql': 'alter table note add column more text;',
    });
    const heard: string[] = [];
    const migrate = () => migrateToLatest(database.db, release, (name) => heard.push(name));
    const applied = (await Promise.all([migrate(), migrate(), migrate()])).flat();
    // A process may report its migration after another process has applied the next one.
    expect(heard.toSorted()).toEqual([expect.stringMatching(/^0001_baseline-/), '9001_note', '9002_more']);
    expect(applied.toSorted()).toEqual(heard.toSorted());
    expect(await migrate()).toEqual([]);
    // The release before finds that all of its own have run, the one after what is to come.
    expect(await migrateToLatest(database.db, RELEASE)).toEqual([]);
    const migrations = laterRelease({ '9001_note.sql': OWN_TABLE, '9003_last.sql': '' });
    expect(await findLacking(database.db, readMigrations(migrations))).toEqual(['9003_last']);
  });

  it('keep those that have run when one fails on a row, name it, and go on from there when they run again', async () => {
    const database = await newDatabase();
    const release = laterRelease({
      '9001_note.sql': `${OWN_TABLE}insert into note values (1, null);`,
      '9002_strict.sql': 'create table strict (id bigint); alter table note alter text set not null;',
      '9003_last.sql': 'create index note_text on note (text);',
    });
    const failing = migrateToLatest(database.db, release);
    await expect(failing).rejects.toMatchObject({ message: '9002_strict failed', cause: { code: '23502' } });
    expect(await isThere(database, 'strict')).toBe(false);
    await run(database, "update note set text = ''");
    expect(await migrateToLatest(database.db, release)).toEqual(['9002_strict', '9003_last']);
  });

  it('give up on a lock that another session keeps, and let others work in between', async () => {
    const database = await newDatabase();
    const release = laterRelease({
      '9001_note.sql': OWN_TABLE,
      '9002_more.sql': 'alter table enterprise add column more text;',
    });
    const holder = await connect(database.url);
    await holder.query('begin; lock table enterprise in row exclusive mode');
    // Only the clock by which it loses its patience.
    vi.useFakeTimers({ toFake: ['performance'] });
    const failing = migrateToLatest(database.db, release).catch((error: unknown) => error);
    await vi.waitUntil(async () => (await countWaiting(database.db, 'relation')) > 0, PATIENTLY);
    // It waits behind the migration, and goes on when that lets go.
    await run(database, "insert into enterprise (name, code) values ('E', 'abc234')");
    vi.advanceTimersByTime(120_000);
    expect(await failing).toMatchObject({ message: '9002_more failed', cause: { code: '55P03' } });
    expect(await isThere(database, 'note')).toBe(true);

    const patient = migrateToLatest(database.db, release);
    await vi.waitUntil(async () => (await countWaiting(database.db, 'relation')) > 0, PATIENTLY);
    await holder.query('commit');
    expect(await patient).toEqual(['9002_more']);
  });

  it('change nothing when the migrator is killed half way, and its locks are given back', async () => {
    const database = await newDatabase();
    // It has its locks, and is not done while another session holds one more.
    const endless = 'set local lock_timeout = 0; select pg_advisory_xact_lock(1);';
    const release = laterRelease({
      '9001_wide.sql': `${OWN_TABLE} alter table enterprise add column more text; ${endless}`,
    });
    const holder = await connect(database.url);
    await holder.query('begin; select pg_advisory_xact_lock(1)');
    const code = `
      import { migrateToLatest, openDatabase } from '@lockstep/platform';
      const options = { url: ${JSON.stringify(database.url)}, poolSize: 1, applicationName: 'killed', onError() {} };
      const migrations = new URL(${JSON.stringify(release.href)});
      await migrateToLatest(openDatabase(options), migrations);`;
    const job = startJob([process.execPath, '--input-type=module', '--eval', code]);
    await vi.waitUntil(async () => (await countWaiting(database.db, 'advisory')) > 0, PATIENTLY);
    expect((await job.end('SIGKILL')).signal).toBe('SIGKILL');
    // The holder goes on all the time: the killed one's session must end by itself.
    await untilDisconnected(database.db, 'killed');
    expect(await isThere(database, 'note')).toBe(false);
    await holder.query('commit');
    expect(await migrateToLatest(database.db, release)).toEqual(['9001_wide']);
  });
});

describe('a role that is not the owner', () => {
  /** Runs a statement that the owner of a database may not. */
  async function asSuperuser(statement: string, databaseUrl: string): Promise<void> {
    const url = new URL(databaseUrl);
    const password = await readFile(join(inject('directory'), 'postgres', 'superuser-password'), 'utf8');
    Object.assign(url, { username: 'postgres', password: password.trim() });
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }

  it('may use what later migrations make, granted once as docs/security.md says', async () => {
    const docs = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8');
    const [, grants] = /```sql\ncreate role [^\n]*\n(.*?)```/s.exec(docs)!;
    const database = await newDatabase();
    const role = `service_${randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`create role ${role} login password 'a'`, database.url);
    try {
      await run(database, grants!.replaceAll('lockstep_service', role));
      await migrateToLatest(database.db, laterRelease({ '9001_note.sql': `${OWN_TABLE} create sequence note_id;` }));
      const url = new URL(database.url);
      Object.assign(url, { username: role, password: 'a' });
      const client = await connect(url.href);
      await client.query("insert into note values (nextval('note_id'), 'a')");
      await client.query("update note set text = 'b'; delete from note; select name from kysely_migration");
      await expect(client.query('drop table note')).rejects.toMatchObject({ code: '42501' });
      await client.end();
    } finally {
      await asSuperuser(`drop owned by ${role}; drop role ${role}`, database.url);
    }
  });
});
