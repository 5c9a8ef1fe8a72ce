import { BaseSequencer, type InlineConfig, type TestSpecification } from 'vitest/node';

/**
 * Files that take much longer than their size, by which vitest sorts, says: the models and the fuzzer run many
 * histories.
 */
const LONG_RUNNING = /\/test\/(model|fuzz)\//;

/** Starts what runs long first, so that no such file runs alone in the end while the other cores have nothing to do. */
class LongRunningFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG_RUNNING.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
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
  sequence: { sequencer: LongRunningFirst },
  // What others do in the background is polled for: a second is too little for them on a busy machine.
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
};
