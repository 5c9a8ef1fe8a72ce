/** Where `npm start` and the command look if DATA_DIR says nothing. */
export const DEFAULT_DATA_DIR = '.lockstep';

/**
 * The directory of `npm start` (rules 9). It is apart from the other variables, so that it is read without a schema.
 */
export function readDataDir({ DATA_DIR = '' }: NodeJS.ProcessEnv): string {
  return DATA_DIR.trim() === '' ? DEFAULT_DATA_DIR : DATA_DIR;
}
