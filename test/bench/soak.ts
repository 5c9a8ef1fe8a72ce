import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { dataOf } from '../harness/api.ts';
import { batchOf, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { readMebibytes } from '../harness/processes/service-process.ts';
import { prepareCheckout, startDeployment } from './deployment.ts';
import { startMachine } from './machine.ts';

/**
 * `npm run bench:soak`: sends batches and sync calls for some minutes, while a second worker is killed and restarted
 * every few seconds. Prints the resident memory of the API and of the first worker each minute, and in the end whether
 * each order was applied once; if not, it fails.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } });
const CALLERS = 6;
const CUSTOMERS = 40;
const KILL_EVERY_MS = 7_000;
const PAUSE_MS = 50;
const FIRST_NUMBER = 8_000_000_000;

await using machine = await startMachine();
const checkout = await prepareCheckout(machine, 'now', { directory: process.cwd(), scale: 1 });
await using deployment = await startDeployment({ machine, checkout, scale: 1 }, { queue: 'postgres' });
const { api, workers, db, caller } = deployment;
const endMs = performance.now() + Number(values.minutes) * 60_000;
let orders = 0;
let kills = 0;

await Promise.all([killOften(), watchMemory(), ...Array.from({ length: CALLERS }, (_, turn) => send(turn))]);
await deployment.untilCompleted();
const { rows } = await db.query<{ applied: number; failed: number; assets: number }>(
  `select count(*) filter (where cause is null)::int as applied, count(cause)::int as failed,
    (select count(*)::int from asset) as assets from license_order`,
);
const { applied, failed, assets } = rows[0]!;
const isRight = applied === orders && assets === orders && failed === 0;
const counts = `${orders} orders sent, ${applied} applied, ${failed} failed, ${assets} assets, ${kills} kills`;
say(`${counts}: ${isRight ? 'each once' : 'WRONG'}`);
if (!isRight) process.exitCode = 1;

function isOver(): boolean {
  return performance.now() > endMs;
}

/** Numbers are counted: among a million random ones, two would often be the same. */
function buy() {
  return newBuy(checkout.customers[orders % CUSTOMERS]!, [String(FIRST_NUMBER + orders++)]);
}

async function send(turn: number): Promise<void> {
  while (!isOver()) {
    if (turn % 3 === 0) dataOf(await caller.submit(syncOf(buy())));
    else if (turn % 3 === 1) await caller.accept(batchOf(...Array.from({ length: 20 }, buy)));
    else await caller.process(batchOf(buy(), buy()));
    await delay(PAUSE_MS);
  }
}

async function killOften(): Promise<void> {
  for (;;) {
    const second = await deployment.startWorker();
    await delay(KILL_EVERY_MS);
    await second.stop(isOver() ? 'SIGTERM' : 'SIGKILL');
    if (isOver()) return;
    kills++;
  }
}

async function watchMemory(): Promise<void> {
  for (let minute = 1; !isOver(); minute++) {
    await delay(60_000);
    const [ofApi, ofWorker] = [api, ...workers].map(({ pid }) => readMebibytes(pid, 'VmRSS'));
    say(`minute ${minute}: API ${ofApi} MiB, worker ${ofWorker} MiB, ${orders} orders, ${kills} kills`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
