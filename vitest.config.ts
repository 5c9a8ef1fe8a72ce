import { relative } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { shared } from './vitest.shared.ts';

/**
 * The least share of the lines of each package that `npm test` has to run, in percent: one or two below what it runs.
 * What runs in other processes and threads is not counted, such as most of the command, and packages/embedded-postgres.
 */
export const FLOORS = {
  'apps/api': 95,
  'apps/cli': 57,
  'apps/worker': 60,
  'packages/access': 99,
  'packages/assets': 98,
  'packages/client': 95,
  'packages/config': 86,
  'packages/contract': 98,
  'packages/customers': 98,
  'packages/members': 99,
  'packages/operators': 98,
  'packages/orders': 95,
  'packages/platform': 88,
  'packages/webhooks': 94,
};
const floors = Object.entries(FLOORS);

/** What is read here of istanbul's coverage map. */
interface CoverageMap {
  files(): string[];
  fileCoverageFor(file: string): { toSummary(): { lines: { covered: number; total: number } } };
}

/** Prints the share of lines of each package that were run, if they were counted. */
const byPackage: Reporter = {
  onCoverage(coverage) {
    const map = coverage as CoverageMap;
    const files = Map.groupBy(map.files(), (file) => relative('.', file).split('/').slice(0, 2).join('/'));
    for (const [name, floor] of floors) {
      const lines = (files.get(name) ?? []).map((file) => map.fileCoverageFor(file).toSummary().lines);
      const total = lines.reduce((sum, line) => sum + line.total, 0);
      const percent = (100 * lines.reduce((sum, line) => sum + line.covered, 0)) / total;
      process.stdout.write(
        `${name.padEnd(20)}${percent.toFixed(1).padStart(5)} % of ${total} lines, floor ${floor} %\n`,
      );
    }
  },
};

/** `npm test`, which counts the lines that it runs if it is asked for `--coverage`. */
export default defineConfig({
  test: {
    ...shared,
    exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
    reporters: ['default', byPackage],
    coverage: {
      include: floors.map(([name]) => `${name}/src/**/*.ts`),
      exclude: ['**/*.test.ts'],
      reporter: ['html'],
      reportsDirectory: 'node_modules/.cache/lockstep/coverage',
      thresholds: Object.fromEntries(floors.map(([name, lines]) => [`${name}/src/**`, { lines }])),
    },
  },
});
