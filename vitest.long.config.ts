import { defineConfig } from 'vitest/config';
import { patient, shared } from './vitest.shared.ts';

/** `npm run test:long`: tests that start whole deployments, kill, break and wait, and take minutes for it. */
export default defineConfig({ test: { ...shared, ...patient, include: ['**/*.long.test.ts'] } });
