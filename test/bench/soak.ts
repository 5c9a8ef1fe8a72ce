import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApplication } from '@lockstep/access';
import { sql } from 'kysely';
import { Api, dataOf } from '../harness/api.ts';
import { batchOf, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { say } from './bench-run.ts';
import { withService } from './bench-service.ts';

/**
 * `npm run bench:soak`: sends batches and sync calls for some minutes, while a second worker is killed and restarted
 * every few seconds. Prints the resident memory of the API and of the first worker each minute, and in the end whether
 * each order was applied once.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } });
const CALLERS = 6;
const CUSTOMERS = 40;
const KILL_EVERY_MS = 7_000;
const PAUSE_MS = 50;
const FIRST_NUMBER = 8_000_000_000;

await withService({ hasWorker: true }, async ({ api, worker, env, baseUrl, db }) => {
  const credentials = await createApplication(db, { name: 'Soak', scopes: ['auth_order'], approved: true });
  const caller = await Api.logIn(baseUrl, credentials);
  const customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, (_, index) => caller.newCustomer(undefined, `soak-${index % 8}`)),
  );
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  const isOver = () => performance.now() > endMs;
  let orders = 0;
  // Counted: among a million random numbers, two would often be the same.
  const buy = () => newBuy(customers[orders % CUSTOMERS]!, [String(FIRST_NUMBER + orders++)]);
  const send = async (turn: number) => {
    while (!isOver()) {
      if (turn % 3 === 0) dataOf(await caller.submit(syncOf(buy())));
      else if (turn % 3 === 1) await caller.accept(batchOf(...Array.from({ length: 20 }, buy)));
      else await caller.process(batchOf(buy(), buy()));
      await wait(PAUSE_MS);
    }
  };
  let kills = 0;
  const killOften = async () => {
    const second = ServiceProcess.worker(env);
    await second.start();
    while (!isOver()) {
      await wait(KILL_EVERY_MS);
      await second.kill();
      kills++;
      await second.start();
    }
    await second.stop();
  };
  const watchMemory = async () => {
    for (let minute = 1; !isOver(); minute++) {
      await wait(60_000);
      const [ofApi, ofWorker] = [api, worker!].map(({ pid }) => residentMebibytes(pid));
      say(`minute ${minute}: API ${ofApi} MiB, worker ${ofWorker} MiB, ${orders} orders, ${kills} kills`);
    }
  };
  await Promise.all([killOften(), watchMemory(), ...Array.from({ length: CALLERS }, (_, turn) => send(turn))]);
  const read = async () => {
    const { rows } = await sql<{ applied: number; failed: number; open: number; assets: number }>`
      select count(*) filter (where cause is null)::int as applied, count(cause)::int as failed,
        (select count(*)::int from batch where completed_time is null) as open,
        (select count(*)::int from asset) as assets
      from license_order`.execute(db);
    return rows[0]!;
  };
  let state = await read();
  for (let tries = 0; state.open > 0 && tries < 30; tries++) {
    await wait(2_000);
    state = await read();
  }
  const { applied, failed, open, assets } = state;
  const isRight = applied === orders && assets === orders && failed === 0 && open === 0;
  say(
    `${orders} orders sent, ${applied} applied, ${failed} failed, ${open} batches open, ${assets} assets: ${isRight ? 'each once' : 'WRONG'}`,
  );
});

function residentMebibytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1_024);
}
