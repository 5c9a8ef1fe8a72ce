import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareCheckout } from './deployment.ts';
import { startMachine } from './machine.ts';
import type { Checkout, Measure } from './measure.ts';
import { fairnessMeasures } from './measures/fairness.ts';
import { latencyMeasures } from './measures/latency.ts';
import { orderMeasures } from './measures/orders.ts';
import { readMeasures } from './measures/reads.ts';
import { startMeasure } from './measures/start.ts';
import { webhookMeasures } from './measures/webhooks.ts';
import { Results } from './results.ts';

/**
 * `npm run bench`: measures the service, and another checkout beside it if asked. Each round takes all chosen measures
 * in turn, so that changes in the machine's speed affect all of them. Compare ratios within one run, not figures of
 * different runs.
 */
const MEASURES: Measure[] = [
  ...orderMeasures,
  ...fairnessMeasures,
  ...latencyMeasures,
  startMeasure,
  ...readMeasures,
  ...webhookMeasures,
];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    /** A small run, to check that the benchmark works. */
    quick: { type: 'boolean', default: false },
    /** Comma-separated names of measures. A word that is not a full name selects all measures with that prefix. */
    only: { type: 'string', default: '' },
    /** Directory of another installed checkout, which is measured beside this one. */
    before: { type: 'string' },
  },
});
const chosen = choose(values.only.split(','));
const scale = values.quick ? 0.02 : 1;
const results = new Results();
await using machine = await startMachine();
const checkouts = [await prepareCheckout(machine, 'now', { directory: process.cwd(), scale })];
if (values.before !== undefined) {
  checkouts.push(await prepareCheckout(machine, 'before', { directory: resolve(values.before), scale }));
}
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const measure of chosen) {
    // Alternate the order, because the second checkout may benefit from warm caches.
    const turns = round % 2 === 1 ? checkouts : checkouts.toReversed();
    for (const checkout of turns) await runMeasure(measure, checkout, round);
  }
}
say('', ...results.formatTable());
if (values.quick) say('', 'Quick run: these figures are not meaningful.');

async function runMeasure(measure: Measure, checkout: Checkout, round: number): Promise<void> {
  const figures = await measure.run({ machine, checkout, scale });
  results.add(measure, checkout.name, figures);
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
  say(`round ${round}, ${measure.name}, ${checkout.name}: ${shown.join(', ')}`);
}

function choose(words: readonly string[]): Measure[] {
  const found = words.flatMap((word) => {
    const exact = MEASURES.filter(({ name }) => name === word);
    return exact.length > 0 ? exact : MEASURES.filter(({ name }) => name.startsWith(word));
  });
  if (found.length > 0) return found;
  throw new Error(`Unknown: ${words}. Measures: ${MEASURES.map(({ name }) => name).join(' ')}`);
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
