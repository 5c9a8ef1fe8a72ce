import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDrift, migrateToLatest } from '@lockstep/platform';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { superuserPasswordPath } from '../../packages/embedded-postgres/src/cluster.ts';
import { withMigrations } from '../harness/more-migrations.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';
import { countWaiting } from '../harness/waiting.ts';

/** How the migrations of a later release run on a database that works: one after the other, and never all or nothing. */

const HASTE = { lockTimeoutMs: 200, patienceMs: 1_000 };
const PATIENTLY = { timeout: 30_000 };

const databases: TestDatabase[] = [];
const sessions: pg.Client[] = [];

afterEach(async () => {
  await Promise.all(sessions.splice(0).map((each) => each.end()));
  await Promise.all(databases.splice(0).map((each) => each.close()));
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
}

/** Connects as a process does whose sessions have this name. */
async function connect(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  await client.connect();
  sessions.push(client);
  return client;
}

/** Runs a statement that the owner of a database may not. */
async function asSuperuser(statement: string, databaseUrl = inject('postgresUrl')): Promise<void> {
  const url = new URL(databaseUrl);
  const password = await readFile(superuserPasswordPath(join(inject('directory'), 'postgres')), 'utf8');
  Object.assign(url, { username: 'postgres', password: password.trim() });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

const run = ({ db }: TestDatabase, statements: string) => sql.raw(statements).execute(db);

async function namesIn(database: TestDatabase, table: 'kysely_migration' | 'schema_expansion'): Promise<unknown[]> {
  const { rows } = await run(database, `select name from ${table} where name >= '9' order by name`);
  return rows.map((row) => (row as { name: string }).name);
}

const OWN_TABLE = 'create table note (id bigint primary key, text text, folded text);';
const ROWS = "insert into note select id, 'Text ' || id from generate_series(1, 25) as id;";
const FOLD = `update note set folded = lower(text) where id in (select id from note where folded is null order by id limit 10)`;

describe('migrations', () => {
  it('run one by one, a back-fill in portions, and are recorded as what they are', async () => {
    const database = await newDatabase();
    const directory = withMigrations({
      '9001_note.up.sql': OWN_TABLE + ROWS,
      '9002_fold.repeat.up.sql': FOLD,
      '9003_folded.contract.up.sql': 'alter table note drop column text;',
    });
    const heard: string[] = [];
    const migrated = await migrateToLatest(database.db, { directory, onApplied: (name) => heard.push(name) });
    expect(heard).toEqual(['9001_note', '9002_fold.repeat', '9003_folded.contract']);
    expect(migrated).toEqual({ applied: heard, left: [], olderProcesses: [], isBehind: false });
    expect(await namesIn(database, 'schema_expansion')).toEqual(['9001_note', '9002_fold.repeat']);
    expect(await namesIn(database, 'kysely_migration')).toEqual(['9003_folded.contract']);
    expect((await run(database, 'select from note where folded is null')).rows).toEqual([]);
    // Rows of one transaction have one xmin: 25 rows took three.
    expect((await run(database, 'select distinct xmin from note')).rows).toHaveLength(3);
    expect(await findDrift(database.db, ['note'])).toEqual([]);
  });

  it('keep those that have run when one fails on a row, name it, and go on from there when they run again', async () => {
    const database = await newDatabase();
    const directory = withMigrations({
      '9001_note.up.sql': `${OWN_TABLE}insert into note values (1, null);`,
      '9002_strict.up.sql': 'alter table note add column more text; alter table note alter text set not null;',
      '9003_last.up.sql': 'create index note_text on note (text);',
    });
    const failing = migrateToLatest(database.db, { directory });
    await expect(failing).rejects.toMatchObject({ message: '9002_strict failed', cause: { code: '23502' } });
    expect(await namesIn(database, 'schema_expansion')).toEqual(['9001_note']);
    expect(await findDrift(database.db, ['note'])).toEqual([]);
    await run(database, "update note set text = ''");
    const { applied } = await migrateToLatest(database.db, { directory });
    expect(applied).toEqual(['9002_strict', '9003_last']);
    expect(await findDrift(database.db, ['note'])).toEqual([]);
  });

  it('give up on a lock that somebody holds for ever, and let others work in between', async () => {
    const database = await newDatabase();
    const directory = withMigrations({
      '9001_note.up.sql': OWN_TABLE,
      '9002_more.up.sql': 'alter table enterprise add column more text;',
    });
    const holder = await connect(database.url, 'holder');
    await holder.query('begin; lock table enterprise in row exclusive mode');
    const failing = migrateToLatest(database.db, { directory, ...HASTE }).catch((error: unknown) => error);
    await vi.waitUntil(async () => (await countWaiting(database.db, 'relation')) > 0, PATIENTLY);
    // It waits behind the migration, and goes on when that lets go.
    await run(database, "insert into enterprise (name, code) values ('E', 'abc234')");
    expect(await failing).toMatchObject({ message: '9002_more failed', cause: { code: '55P03' } });
    expect(await namesIn(database, 'schema_expansion')).toEqual(['9001_note']);

    const patient = migrateToLatest(database.db, { directory });
    await vi.waitUntil(async () => (await countWaiting(database.db, 'relation')) > 0, PATIENTLY);
    await holder.query('commit');
    expect((await patient).applied).toEqual(['9002_more']);
  });

  it('say that another run goes on', async () => {
    const database = await newDatabase();
    const other = await connect(database.url, 'other');
    await other.query("select pg_advisory_lock(hashtext('lockstep migrate'))");
    await expect(migrateToLatest(database.db, HASTE)).rejects.toThrow('another migration of this database');
  });

  it('refuse a back-fill that is no change of rows', async () => {
    const { db } = await newDatabase();
    const directory = withMigrations({ '9001_look.repeat.up.sql': 'select 1' });
    await expect(migrateToLatest(db, { directory })).rejects.toMatchObject({
      cause: { message: '9001_look.repeat must be one INSERT, UPDATE, DELETE or MERGE' },
    });
  });

  it('apply a function that needs a contraction with that, and the others with the newest expansion', async () => {
    const database = await newDatabase();
    const functionOf = (name: string, says: number) =>
      `create or replace function ${name}() returns int language sql as $$ select ${says} $$;\n`;
    const earlier = functionOf('plain', 0) + functionOf('later', 0);
    const directory = withMigrations({
      '9001_functions.up.sql': earlier,
      '9002_swap.contract.up.sql': 'create table swapped (id bigint primary key);',
      'functions/plain.sql': functionOf('plain', 1),
      'functions/later.sql': `-- after 9002_swap.contract\n${functionOf('later', 1)}`,
    });
    const older = await connect(database.url, 'lockstep-api/0050');
    const said = async () => (await run(database, 'select plain(), later()')).rows;
    await migrateToLatest(database.db, { directory });
    expect(await said()).toEqual([{ plain: 1, later: 0 }]);
    sessions.splice(0);
    await older.end();
    await migrateToLatest(database.db, { directory });
    expect(await said()).toEqual([{ plain: 1, later: 1 }]);
  });
});

describe('a contraction', () => {
  const FILES = {
    '9001_note.up.sql': OWN_TABLE,
    '9002_narrow.contract.up.sql': 'alter table note drop column folded;',
  };

  it.each(['lockstep-worker', 'lockstep-api/0050', 'lockstep-queue/9001'])(
    'waits for the end of a process whose sessions are called %s, also if another role runs it',
    async (name) => {
      const database = await newDatabase();
      const directory = withMigrations(FILES);
      const role = `older_${randomUUID().replaceAll('-', '')}`;
      const url = new URL(database.url);
      await asSuperuser(`create role ${role} login password 'a'`);
      Object.assign(url, { username: role, password: 'a' });
      const older = await connect(url.href, name);
      const [who, level = '0050'] = name.split('/');
      expect(await migrateToLatest(database.db, { directory })).toEqual({
        applied: ['9001_note'],
        left: ['9002_narrow.contract'],
        olderProcesses: [{ who, level: Number(level), sessions: 1 }],
        isBehind: false,
      });
      sessions.splice(0);
      await older.end();
      await vi.waitUntil(async () => (await migrateToLatest(database.db, { directory })).left.length === 0, PATIENTLY);
      await asSuperuser(`drop role ${role}`);
    },
  );

  it.each(['lockstep-worker/9002', 'lockstep-api/9003', 'psql'])(
    'does not wait for sessions called %s',
    async (name) => {
      const { db, url } = await newDatabase();
      await connect(url, name);
      const { left } = await migrateToLatest(db, { directory: withMigrations(FILES) });
      expect(left).toEqual([]);
    },
  );

  it('is rolled back when an older process comes while it runs', async () => {
    const database = await newDatabase();
    const directory = withMigrations({
      ...FILES,
      '9002_narrow.contract.up.sql': 'alter table note drop column folded; lock table enterprise;',
    });
    const holder = await connect(database.url, 'holder');
    await holder.query('begin; lock table enterprise in row exclusive mode');
    const migrating = migrateToLatest(database.db, { directory });
    await vi.waitUntil(async () => (await countWaiting(database.db, 'relation')) > 0, PATIENTLY);
    await connect(database.url, 'lockstep-worker');
    await holder.query('commit');
    expect(await migrating).toMatchObject({ left: ['9002_narrow.contract'], olderProcesses: [{ sessions: 1 }] });
    expect((await run(database, 'select folded from note')).rows).toEqual([]);
    expect(await findDrift(database.db, ['note'])).toEqual([]);
  });

  it('holds up what comes behind it, so that a version says that it cannot work yet', async () => {
    const database = await newDatabase();
    await connect(database.url, 'lockstep-worker');
    const directory = withMigrations({ ...FILES, '9003_next.up.sql': 'alter table note add column next text;' });
    expect(await migrateToLatest(database.db, { directory })).toMatchObject({
      ...{ applied: ['9001_note'], left: ['9002_narrow.contract', '9003_next'], isBehind: true },
    });
  });
});

describe('a role that is not the owner', () => {
  it('may use what a migration makes as it may use batches, and what it replaces as before', async () => {
    const database = await newDatabase();
    const role = `service_${randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`create role ${role}`);
    await run(
      database,
      `grant select, insert, update, delete on all tables in schema public to ${role};
      grant usage on all sequences in schema public to ${role};
      revoke update, delete on lock_audit from ${role}`,
    );
    const directory = withMigrations({
      '9001_note.up.sql': `${OWN_TABLE} create sequence note_id;`,
      '9002_swap.contract.up.sql':
        'alter table lock_audit rename to lock_audit_before; create table lock_audit (id bigint);',
    });
    await migrateToLatest(database.db, { directory });
    const { rows } = await run(
      database,
      `select name, has_table_privilege('${role}', name, 'select, insert') as reads,
        has_table_privilege('${role}', name, 'update') and has_table_privilege('${role}', name, 'delete') as changes
      from unnest(array['note', 'lock_audit']) as name`,
    );
    expect(rows).toEqual([
      { name: 'note', reads: true, changes: true },
      { name: 'lock_audit', reads: true, changes: false },
    ]);
    const sequences = await run(database, `select has_sequence_privilege('${role}', 'note_id', 'usage') as may`);
    expect(sequences.rows).toEqual([{ may: true }]);
    await asSuperuser(`drop owned by ${role}; drop role ${role}`, database.url);
  });

  it.each(['begin_period(0)', 'make_partitions()'])('that only reads may not call %s', async (call) => {
    const database = await newDatabase();
    const role = `reader_${randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`create role ${role}`);
    await run(database, `grant select on all tables in schema public to ${role}`);
    const asRole = () => asSuperuser(`set role ${role}; select ${call}`, database.url);
    await expect(asRole()).rejects.toMatchObject({ code: '42501' });
    await run(database, `grant insert on batch to ${role}`);
    await asRole();
    await asSuperuser(`drop owned by ${role}; drop role ${role}`, database.url);
  });
});
