import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.ts';

/** `npm run test:long`: tests that start whole deployments, kill, break and wait, and the fuzzer with many calls. */
export default defineConfig({
  test: {
    ...shared,
    // They start many processes, each of which takes its time on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    include: ['**/*.long.test.ts', 'test/fuzz/fuzz.test.ts'],
    env: { LOCKSTEP_FUZZ_CALLS: '20000' },
  },
});
