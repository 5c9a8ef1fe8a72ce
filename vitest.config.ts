import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.ts';

/** `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/faults/**'],
  },
});
