import type { InlineConfig } from 'vitest/node';

/** How every suite runs, whichever files it has. */
export const shared: InlineConfig = {
  include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'],
  globalSetup: ['test/harness/global-setup.ts'],
  pool: 'forks',
  // One more than the cores that it is meant for: a test waits now and then.
  maxWorkers: 3,
  // The files of a worker share its modules: loading them for each anew took a fifth of the time.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};
