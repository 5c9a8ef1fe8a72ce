import { statSync } from 'node:fs';
import { BaseSequencer, type InlineConfig, type TestSpecification } from 'vitest/node';

/** Files that take much longer than others of their size: they run many histories, start many processes, or wait. */
const LONG_RUNNING = new RegExp(
  `/test/(model|fuzz|wide|bench)/|/(${[
    ...['browser/console', 'calls/connections', 'channels/estimates', 'console/queue', 'console/webhooks'],
    ...['client/events', 'command-start', 'examples', 'long-answers', 'number-searches', 'ordering', 'results/events'],
    ...['webhooks/deliveries', 'webhooks/fairness.long', 'browser/pages.long', 'early-refusals.long'],
    ...['ended-workers.long', 'killed-processes.long', 'slow-exports.long', 'start.long'],
  ].join('|')})\\.test\\.ts$`,
);

/** Starts what takes long first, so that no such file runs alone in the end while the other cores do nothing. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weightOf = ({ moduleId }: TestSpecification) =>
      statSync(moduleId).size + (LONG_RUNNING.test(moduleId) ? 1_000_000 : 0);
    return files.toSorted((one, other) => weightOf(other) - weightOf(one));
  }
}

/** How every suite runs, whichever files it has. */
export const shared: InlineConfig = {
  include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'],
  globalSetup: ['test/harness/global-setup.ts'],
  pool: 'forks',
  // One more than the cores that it is meant for: a test waits now and then.
  maxWorkers: 3,
  // The files of a worker share its modules: loading them for each anew took a fifth of the time.
  isolate: false,
  sequence: { sequencer: LongestFirst },
  // What others do in the background is polled for: a second is too little for them on a busy machine.
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
};
