/**
 * The directory of `npm start` (rules 9). It is apart from the other variables, so that it is read without a schema.
 */
export function readDataDir({ DATA_DIR = '' }: NodeJS.ProcessEnv): string {
  return DATA_DIR.trim() === '' ? '.lockstep' : DATA_DIR;
}
