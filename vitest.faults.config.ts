import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.ts';

/** `npm run test:faults`: tests that kill, break and wait, and take minutes for it. */
export default defineConfig({ test: { ...shared, include: ['test/faults/**/*.test.ts'] } });
