import { configDefaults, defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.ts';

/** `npm test`. */
export default defineConfig({
  test: { ...shared, exclude: [...configDefaults.exclude, '**/*.long.test.ts', '**/*.wide.test.ts'] },
});
