import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RUN_OPTIONS, say, withBench } from './bench-run.ts';
import { type Deployment, withDeployment } from './deployment.ts';
import { type Edition, prepareEdition } from './edition.ts';
import { type Bench, type Figures, median } from './measure.ts';
import { measureBacklog } from './measure-backlog.ts';
import { async, measureOrders, type Sending } from './measure-orders.ts';
import { writeFigures } from './page-figures.ts';
import { REPLICATIONS, withReplication } from './replication.ts';
import type { Standby } from './standby.ts';
import { renderWide, type WideFigures } from './wide-page.ts';

/**
 * `npm run bench:wide`: measures one to four workers on a primary alone, with a streaming standby, and with synchronous
 * replication. All servers share one machine, so what a standby takes of the processor is missing elsewhere: compare the
 * processor time of an order as well, and the ratios of one run.
 */
const { values } = parseArgs({
  options: {
    ...RUN_OPTIONS,
    /** Numbers of workers, with commas between them. */
    workers: { type: 'string', default: '1,2,3,4' },
    /** A file of `--json` to print, in place of measuring. */
    from: { type: 'string' },
  },
});
/** Of what is measured for each number of workers. */
const SHOWN = ['orders/s', 'API µs', 'worker µs', 'PostgreSQL µs', 'standby µs'];

const found =
  values.from === undefined
    ? await withBench(values, measure)
    : (JSON.parse(readFileSync(values.from, 'utf8')) as WideFigures);
const parts = renderWide(found);
for (const [name, part] of Object.entries(parts)) say(`\n${name}\n\n${part}`);
if (found.quick) say('\nEverything was small: these figures mean nothing.');
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
if (values.page !== undefined) writeFigures(values.page, parts);

async function measure(bench: Bench, rounds: number): Promise<WideFigures> {
  const measured = new Map<string, { replication: string; workers: number; figures: Figures[] }>();
  const edition = await prepareEdition(bench.machine, 'now', process.cwd());
  for (let round = 1; round <= rounds; round++) {
    // The order changes from round to round, because a machine may become slower while all of them run.
    for (const replication of round % 2 === 1 ? REPLICATIONS : REPLICATIONS.toReversed()) {
      await withReplication(bench.machine, replication, async (standby) => {
        for (const workers of values.workers.split(',').map(Number)) {
          const figures = await measureWorkers(bench, edition, workers, standby);
          const key = `${replication.name} ${workers}`;
          const each = measured.get(key) ?? { replication: replication.name, workers, figures: [] };
          each.figures.push(figures);
          measured.set(key, each);
          const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
          say(`round ${round}, ${replication.name}, ${workers} workers: ${shown.join(', ')}`);
        }
      });
    }
  }
  const rows = [...measured.values()].map(({ figures, ...row }) => ({
    ...row,
    ...Object.fromEntries(Object.keys(figures[0]!).map((name) => [name, median(figures.map((each) => each[name]!))])),
  }));
  return { rounds, quick: values.quick, rows: rows as WideFigures['rows'] };
}

async function measureWorkers(
  bench: Bench,
  edition: Edition,
  workers: number,
  standby: Standby | undefined,
): Promise<Figures> {
  const figures: Figures = {};
  for (const sending of [async(100, 8), async(1, 64)]) {
    const applied = await withDeployment(bench, edition, { workers }, (deployment) =>
      measureWithStandby(bench, deployment, sending, standby),
    );
    for (const name of SHOWN) figures[`batches of ${sending.ordersPerBatch}, ${name}`] = applied[name]!;
  }
  const backlog = await measureBacklog(bench, edition, workers);
  return { ...figures, 'backlog, orders/s': backlog['drained/s']! };
}

/** As measureOrders, and what the standby used until it had replayed all of it. */
async function measureWithStandby(
  bench: Bench,
  deployment: Deployment,
  sending: Sending,
  standby: Standby | undefined,
): Promise<Figures> {
  await standby?.untilCaughtUp();
  const usedBefore = standby?.readMicros() ?? 0;
  const applied = await measureOrders(bench, deployment, sending);
  if (standby === undefined) return { ...applied, 'standby µs': 0 };
  await standby.untilCaughtUp();
  // Those that were sent to warm up were replayed as well.
  const { rows } = await deployment.db.query<{ orders: number }>('select count(*)::int as orders from license_order');
  return { ...applied, 'standby µs': (standby.readMicros() - usedBefore) / rows[0]!.orders };
}
