import type { Release } from '@lockstep/platform';

/** The schema of this release. */
export const RELEASE: Release = {
  migrations: new URL('../../../migrations/', import.meta.url),
  migrateCommand: 'npm run migrate',
  urlVariable: 'DATABASE_URL',
  otherBaseline:
    'a pre-1.0.0 version of Lockstep created this database, and this version cannot migrate it: use an empty database (npm start: another DATA_DIR)',
};
