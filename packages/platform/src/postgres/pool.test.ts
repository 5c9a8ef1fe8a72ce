import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { openPrimaryPool } from './pool.ts';

const db = openPool();

const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]!.pid;
const write = () => sql`create table written ()`.execute(db);

it('drops a connection on which PostgreSQL refuses to write, and the next call works on another one', async () => {
  const before = await pid();
  await sql`set default_transaction_read_only = on`.execute(db);
  expect(await pid()).toBe(before);
  await expect(write()).rejects.toMatchObject({ code: '25006' });
  expect(await pid()).not.toBe(before);
  await write();
  await sql`drop table written`.execute(db);
});

it('drops it too when the write was a part of a transaction', async () => {
  const before = await pid();
  await sql`set default_transaction_read_only = on`.execute(db);
  await expect(db.transaction().execute((trx) => sql`create table written ()`.execute(trx))).rejects.toMatchObject({
    code: '25006',
  });
  expect(await pid()).not.toBe(before);
});

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
