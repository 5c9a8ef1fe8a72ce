import type pg from 'pg';
import { freePort } from '../../harness/network/redis.ts';
import { BenchProcess } from '../bench-process.ts';
import { createBareTables } from '../load/ledger-rows.ts';
import type { LoadWork, Pace } from '../load/load-work.ts';
import { openPool } from '../load/open-pool.ts';
import type { Bench } from '../measures/measure.ts';
import type { Edition } from '../report/edition.ts';

/** The processes that the service is compared with, on their own database. */
export interface BareDeployment {
  databaseUrl: string;
  db: pg.Pool;
  server: BenchProcess;
  /** Returns work for a load generator: the bodies that the service gets, sent to one of the routes. */
  batches(route: string, batches: number, ordersPerBatch: number, edition: Edition, pace: Pace): LoadWork;
  questions(route: string, pace: Pace): LoadWork;
}

/** Runs work on bare tables with the bare server and, if given, a peer's worker. Stops them afterwards. */
export async function withBareDeployment<Result>(
  bench: Bench,
  edition: Edition,
  peer: string | undefined,
  work: (deployment: BareDeployment) => Promise<Result>,
): Promise<Result> {
  const { machine } = bench;
  const databaseUrl = await machine.createDatabase(edition.template);
  const db = openPool(databaseUrl, 2);
  const started: BenchProcess[] = [];
  try {
    await createBareTables(db);
    await db.query('create table bare.keyed (key text primary key, content text not null)');
    await db.query(
      'create table bare.body (id bigint generated always as identity primary key, content text not null)',
    );
    await machine.settle();
    const port = await freePort();
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: machine.redisUrl,
      PORT: String(port),
      ...(peer === undefined ? {} : { PEER: peer }),
    };
    const server = await BenchProcess.startOwn('peers/bare-server.ts', machine.directory, env);
    started.push(server);
    if (peer !== undefined) started.push(await BenchProcess.startOwn('peers/worker.ts', machine.directory, env));
    const baseUrl = `http://127.0.0.1:${port}`;
    return await work({
      databaseUrl,
      db,
      server,
      batches: (route, batches, ordersPerBatch, { customers }, pace) => ({
        baseUrl,
        targets: [`${route}?`],
        headers: {},
        requests: {
          kind: 'batches',
          mode: 'async',
          batches,
          ordersPerBatch,
          customers,
          tag: `${peer ?? 'bare'}-${++tags}`,
        },
        pace,
      }),
      questions: (route, pace) => ({
        baseUrl,
        targets: [`${route}?`],
        headers: {},
        requests: { kind: 'question' },
        pace,
      }),
    });
  } finally {
    await Promise.all(started.map((each) => each.stop()));
    await db.end();
    await machine.dropDatabase(databaseUrl);
  }
}

let tags = 0;
