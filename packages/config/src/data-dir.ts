/** The directory of `npm start` and the command if DATA_DIR is not set. */
export const DEFAULT_DATA_DIR = '.lockstep';

/**
 * Returns the data directory of `npm start` (rules 9). Separate from the other variables, so that reading it needs no
 * schema.
 */
export function readDataDir({ DATA_DIR = '' }: NodeJS.ProcessEnv): string {
  return DATA_DIR.trim() === '' ? DEFAULT_DATA_DIR : DATA_DIR;
}
