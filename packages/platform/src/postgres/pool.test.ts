import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import type { Database } from './database.ts';
import { openPrimaryPool } from './pool.ts';

const db = openPool();

const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]!.pid;
const create = (on: Database) => sql`create table written ()`.execute(on);

it.each<[string, () => Promise<unknown>]>([
  ['alone', () => create(db)],
  ['in a transaction', () => db.transaction().execute(create)],
])(
  'drops a connection on which PostgreSQL refuses a write %s, and the next call works on another',
  async (_, write) => {
    const before = await pid();
    await sql`set default_transaction_read_only = on`.execute(db);
    expect(await pid()).toBe(before);
    await expect(write()).rejects.toMatchObject({ code: '25006' });
    expect(await pid()).not.toBe(before);
    await write();
    await sql`drop table written`.execute(db);
  },
);

it('reports no error of a connection that breaks while the pool ends', async () => {
  const errors: string[] = [];
  const pool = openPrimaryPool({ connectionString: inject('postgresUrl') }, ({ message }) => errors.push(message));
  const client = await pool.connect();
  client.emit('error', new Error('before'));
  client.release();
  await pool.end();
  client.emit('error', new Error('after'));
  expect(errors).toEqual(['before']);
});
