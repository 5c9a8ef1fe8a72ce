import { chooseQueueBackend, configOrExit, readDeploymentConfig } from '@lockstep/config';
import { explainFault } from '@lockstep/platform';
import { say, sayAside } from './output/terminal.ts';
import { migrateDatabase } from './stack/migrate-database.ts';

/** `npm run migrate`: run it before the first start, and before starting the processes of a new version (rules 9). */
const config = configOrExit(readDeploymentConfig);
try {
  const queue = chooseQueueBackend(config, config.DATABASE_URL);
  await migrateDatabase(config.DATABASE_URL, queue, (name) => say(`applied ${name}`));
  say('The database is up to date.');
} catch (error) {
  sayAside(`Migration failed: ${explainFault(error, config.DATABASE_URL)}`);
  process.exitCode = 1;
}
