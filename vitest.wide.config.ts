import { defineConfig } from 'vitest/config';
import { patient, shared } from './vitest.shared.ts';

/**
 * `npm run test:wide`: several servers of each kind, killed and promoted. A file at a time: each starts many processes.
 */
export default defineConfig({
  test: { ...shared, include: ['**/*.wide.test.ts'], ...patient, maxWorkers: 1 },
});
