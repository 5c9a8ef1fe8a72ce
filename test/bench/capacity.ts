import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { RUN_OPTIONS, say, withBench } from './bench-run.ts';
import {
  measureDatabaseTraffic,
  measureOrderCosts,
  measureProcesses,
  measureReplay,
  type OrderCosts,
} from './measures/capacity.ts';
import { type Bench, type Figures, median } from './measures/measure.ts';
import { async } from './measures/orders.ts';
import type { OrderConstants, ProcessConstants } from './report/capacity-model.ts';
import { type Capacity, renderCapacity } from './report/capacity-page.ts';
import { prepareEdition } from './report/edition.ts';

/**
 * `npm run bench:capacity`: prints the tables of scaling.md: what an order costs, and what days of 1, 10 and 100
 * million orders need.
 */
const { values } = parseArgs({ options: RUN_OPTIONS });
const LOADS = [async(100, 8), async(1, 64)];

const capacity = await withBench(values, measure);
for (const [name, part] of Object.entries(renderCapacity(capacity))) say(`\n${name}\n\n${part}`);
if (capacity.quick) say('\nQuick run: these figures are not meaningful.');
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(capacity, null, 2)}\n`);

async function measure(bench: Bench, rounds: number): Promise<Capacity> {
  const orders = new Map<number, OrderCosts[]>(LOADS.map(({ ordersPerBatch }) => [ordersPerBatch, []]));
  const processes: Figures[] = [];
  const edition = await prepareEdition(bench.machine, 'now', process.cwd());
  for (let round = 1; round <= rounds; round++) {
    for (const load of LOADS) {
      const { figures, growth } = await measureOrderCosts(bench, edition, load);
      const traffic = await measureDatabaseTraffic(bench, edition, load);
      const replay = await measureReplay(bench, edition, load);
      const all = { ...figures, ...traffic, ...replay };
      orders.get(load.ordersPerBatch)!.push({ figures: all, growth });
      sayFigures(`round ${round}, batches of ${load.ordersPerBatch}`, all);
    }
    processes.push(await measureProcesses(bench, edition));
    sayFigures(`round ${round}, processes`, processes.at(-1)!);
  }
  const [{ model } = { model: 'unknown' }, ...others] = cpus();
  return {
    machine: { cores: others.length + 1, model, node: process.version },
    rounds,
    quick: values.quick,
    batches: Object.fromEntries(
      [...orders].map(([size, each]) => [size, mediansOf(each.map(({ figures }) => figures)) as Constants]),
    ),
    // Row sizes hardly vary between rounds, so take the last.
    tables: Object.fromEntries([...orders].map(([size, each]) => [size, each.at(-1)!.growth])),
    process: mediansOf(processes) as ProcessConstants & Figures,
  };
}

type Constants = OrderConstants & Figures;

function mediansOf(rounds: readonly Figures[]): Figures {
  return Object.fromEntries(
    Object.keys(rounds[0]!).map((name) => [name, median(rounds.map((figures) => figures[name]!))]),
  );
}

function sayFigures(what: string, figures: Figures): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 100) / 100}`);
  say(`${what}: ${shown.join(', ')}`);
}
