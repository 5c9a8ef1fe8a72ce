import type { Release } from '@lockstep/platform';

/** The schema of this release. */
export const RELEASE: Release = {
  migrations: new URL('../../../migrations/', import.meta.url),
  migrateCommand: 'npm run migrate',
  urlVariable: 'DATABASE_URL',
  otherBaseline:
    'the database was made by another version of Lockstep from before 1.0.0, which this version cannot take over: start again with an empty database (npm start: with another DATA_DIR)',
};
