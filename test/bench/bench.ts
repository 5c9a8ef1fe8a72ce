import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { RUN_OPTIONS, say, withBench } from './bench-run.ts';
import type { Bench, Measure } from './measures/measure.ts';
import { measures } from './measures/measures.ts';
import { type Edition, prepareEdition } from './report/edition.ts';
import { formatRatios } from './report/ratios.ts';
import { Results } from './report/results.ts';

/**
 * `npm run bench`: measures the service, PostgreSQL alone, and other queues with the same orders. Each round takes all
 * chosen measures in turn, so that changes in the machine's speed affect all of them. Compare ratios within one run,
 * not figures of different runs.
 */
const { values } = parseArgs({
  options: {
    ...RUN_OPTIONS,
    /** Comma-separated names of measures. A word that is not a full name selects all measures with that prefix. */
    only: { type: 'string' },
    /** Directory of another installed checkout, which is measured beside this one. */
    before: { type: 'string' },
    /**
     * Enlarges backlogs: a million orders for `fairness`, four times as many as usual for `backlog-workers1` to `4`.
     */
    large: { type: 'boolean', default: false },
  },
});
const chosen = choose(values.only);
const results = new Results();
const rounds = await withBench(values, measureAll);
say('');
for (const line of results.formatTable()) say(line);
say('');
for (const line of formatRatios(results)) say(line);
if (values.quick) say('\nQuick run: these figures are not meaningful.');
if (values.json !== undefined) {
  const [{ model } = { model: 'unknown' }, ...others] = cpus();
  const described = { cores: others.length + 1, model, memoryBytes: totalmem(), node: process.version };
  const run = { machine: described, rounds, quick: values.quick, figures: results.figures };
  writeFileSync(values.json, `${JSON.stringify(run, null, 2)}\n`);
}

async function measureAll(bench: Bench, rounds: number): Promise<number> {
  const editions = [await prepareEdition(bench.machine, 'now', process.cwd())];
  if (values.before !== undefined) editions.push(await prepareEdition(bench.machine, 'before', resolve(values.before)));
  for (let round = 1; round <= rounds; round++) {
    for (const measure of chosen) await runMeasure(bench, measure, round, editions);
  }
  return rounds;
}

async function runMeasure(bench: Bench, measure: Measure, round: number, editions: readonly Edition[]): Promise<void> {
  // Alternate the order, because the second edition may benefit from warm caches.
  const turns = measure.of === 'yardstick' ? editions.slice(0, 1) : round % 2 === 1 ? editions : editions.toReversed();
  for (const edition of turns) {
    const figures = await measure.run(bench, edition);
    results.add(measure, edition.name, figures);
    const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
    say(
      `round ${round}, ${measure.name}, ${measure.of === 'yardstick' ? 'yardstick' : edition.name}: ${shown.join(', ')}`,
    );
  }
}

function choose(only: string | undefined): Measure[] {
  if (only === undefined) return measures;
  const prefixes = only.split(',');
  const found = prefixes.flatMap((prefix) => {
    const exact = measures.filter(({ name }) => name === prefix);
    return exact.length > 0 ? exact : measures.filter(({ name }) => name.startsWith(prefix));
  });
  if (found.length > 0) return found;
  throw new Error(`No measure's name starts with ${only}. Measures: ${measures.map(({ name }) => name).join(' ')}`);
}
