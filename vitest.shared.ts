import type { InlineConfig } from 'vitest/node';

/** How every suite runs, whichever files it has. */
export const shared: InlineConfig = {
  globalSetup: ['test/harness/global-setup.ts'],
  pool: 'forks',
  // Two more than the cores that it is meant for: tests wait for processes, time-outs and the sweep.
  maxWorkers: 4,
  // The files of a worker share its modules: loading them for each anew took a fifth of the time.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};
