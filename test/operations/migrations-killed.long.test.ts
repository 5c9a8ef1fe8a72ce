import { migrateToLatest } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { withMigrations } from '../harness/more-migrations.ts';
import { endEverything, startJob } from '../harness/processes.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

/** A migrator that is killed in the middle leaves nothing that the next one cannot go on from. */

const ROWS = 400;
/** The row that somebody holds, so the migrator comes no further. */
const HELD = 21;
const databases: TestDatabase[] = [];

afterEach(async () => {
  await endEverything();
  await Promise.all(databases.splice(0).map((each) => each.close()));
});
afterAll(endEverything);

/** Runs the migrations of a directory in a process of its own. */
function migrateInProcess(url: string, directory: URL) {
  const code = `
    import { migrateToLatest, openDatabase } from '@lockstep/platform';
    const db = openDatabase({ url: ${JSON.stringify(url)}, poolSize: 1, applicationName: 'lockstep-migrate', onError() {} });
    await migrateToLatest(db, { directory: new URL(${JSON.stringify(directory.href)}) });
    await db.destroy();`;
  return startJob([process.execPath, '--input-type=module', '--eval', code]);
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
}

const countMoved = async ({ db }: TestDatabase) => {
  const { rows } = await sql<{ moved: number }>`select count(*)::int as moved from moved`.execute(db);
  return rows[0]!.moved;
};

it('kill -9 in a back-fill keeps what was moved, and the next run moves the rest, each row once', async () => {
  const database = await newDatabase();
  await sql
    .raw(`create table note (id bigint primary key); insert into note select generate_series(1, ${ROWS});
      create table moved (id bigint)`)
    .execute(database.db);
  const directory = withMigrations({
    '9001_move.repeat.up.sql': `
      with taken as (delete from note where id in (select id from note order by id limit 1) returning id)
      insert into moved select id from taken`,
    '9002_after.up.sql': 'create table after_all (id bigint primary key);',
  });
  const holder = await database.db.startTransaction().execute();
  await sql`select from note where id = ${HELD} for update`.execute(holder);
  const job = migrateInProcess(database.url, directory);
  await vi.waitUntil(async () => (await countMoved(database).catch(() => 0)) === HELD - 1, { timeout: 30_000 });
  expect((await job.end('SIGKILL')).signal).toBe('SIGKILL');
  await holder.rollback().execute();
  expect(await countMoved(database)).toBeLessThan(ROWS);

  const { applied } = await migrateToLatest(database.db, { directory });
  expect(applied).toEqual(['9001_move.repeat', '9002_after']);
  expect(await countMoved(database)).toBe(ROWS);
});

it('kill -9 while a migration waits for a lock gives back its own, and it has changed nothing', async () => {
  const database = await newDatabase();
  const directory = withMigrations({
    '9001_wide.up.sql': 'create table wide (id bigint primary key); alter table enterprise add column more text;',
  });
  const holder = await database.db.startTransaction().execute();
  try {
    await sql`lock table enterprise in row exclusive mode`.execute(holder);
    const job = migrateInProcess(database.url, directory);
    const waits = async () => {
      const { rows } = await sql`
        select from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database() and application_name like 'lockstep-migrate/%'`.execute(
        database.db,
      );
      return rows.length > 0;
    };
    await vi.waitUntil(waits, { timeout: 30_000 });
    await job.end('SIGKILL');
    // The holder goes on all the time: the killed one's session must end by itself.
    const { rows: left } = await vi.waitUntil(
      async () => {
        const found = await sql`
          select from pg_stat_activity
          where datname = current_database() and application_name like 'lockstep-migrate/%'`.execute(database.db);
        return found.rows.length === 0 && found;
      },
      { timeout: 30_000 },
    );
    expect(left).toEqual([]);
    const { rows } = await sql`select to_regclass('wide') as name`.execute(database.db);
    expect(rows).toEqual([{ name: null }]);
  } finally {
    await holder.rollback().execute();
  }
  expect((await migrateToLatest(database.db, { directory })).applied).toEqual(['9001_wide']);
});
