import { PERIOD_TABLES } from '@lockstep/orders';
import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { type PostgresServer, removeServers, startPrimary } from '../harness/postgres-cluster.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';
import { Deployment } from './deployment.ts';

/** Months that begin under load, while the server is killed in the middle of it. */

const PATIENCE = { timeout: 60_000, interval: 100 };
const MONTHS = 2;
/** Orders before and after what happens. */
const SOME = 90;

let deployment: Deployment | undefined;

afterEach(async () => {
  const statuses = await deployment?.stop();
  deployment = undefined;
  await removeServers();
  if (statuses !== undefined) expect(statuses, 'every process stops with status 0').toEqual([0, 0, 0, 0]);
});

/** Begins the period after the newest, and leaves it at that: nobody else sees it, but ids come from it. */
async function leaveTurnOpen(server: PostgresServer): Promise<void> {
  const client = new pg.Client({ connectionString: server.superuserUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query('begin; select begin_period((select max(number) from period))');
}

/** Makes the newest period one of last month. */
async function passMonth(server: PostgresServer): Promise<void> {
  await server.query(`
    set session_replication_role = replica;
    update period set began_time = began_time - interval '31 days' where number = (select max(number) from period)`);
}

const readPeriods = async (server: PostgresServer) =>
  (
    await server.query<{ newest: number; ahead: number }>(
      'select max(number) as newest, partitions_ahead() as ahead from period',
    )
  )[0];

async function countRows(server: PostgresServer, partition: string): Promise<number> {
  const [row] = await server.query<{ rows: number }>(`select count(*)::int as rows from ${partition}`);
  return row!.rows;
}

it.each(QUEUE_KINDS)(
  'begins months while calls come and the server is killed in the middle of that, and loses nothing: queue on %s',
  async (queue) => {
    const server = await startPrimary();
    deployment = await Deployment.start(server.databaseUrl, queue);
    const { load, db } = deployment;
    load.begin();
    await load.more(SOME);
    for (let month = 1; month <= MONTHS; month++) {
      await leaveTurnOpen(server);
      await load.more(SOME);
      await server.restart();
      expect(await readPeriods(server)).toMatchObject({ newest: month - 1 });
      await load.more(SOME);
      await passMonth(server);
      await vi.waitFor(async () => expect(await readPeriods(server)).toEqual({ newest: month, ahead: 2 }), PATIENCE);
      await load.more(SOME);
    }
    await load.end();
    const figures = await load.check(db);
    process.stdout.write(
      `${MONTHS} months, the server killed in each turn, queue on ${queue}: ${JSON.stringify(figures)}\n`,
    );
    expect(figures).toMatchObject({ failed: 0, numbersWrong: 0, found: figures.acknowledged });
    for (const table of PERIOD_TABLES.slice(0, 3)) {
      for (let period = 0; period <= MONTHS; period++) {
        expect(await countRows(server, `${table}_p000${period}`), `${table} in period ${period}`).toBeGreaterThan(0);
      }
    }
  },
);
