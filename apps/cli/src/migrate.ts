import { chooseQueueBackend, configOrExit, explainFault, readDeploymentConfig } from '@lockstep/platform';
import { migrateDatabase } from './migrate-database.ts';
import { say } from './say.ts';

/** `npm run migrate`: once before the first start, and before each new version (rules 9). */
const config = configOrExit(readDeploymentConfig);
try {
  const applied = await migrateDatabase(config.DATABASE_URL, chooseQueueBackend(config, config.DATABASE_URL));
  for (const name of applied) say(`applied ${name}`);
  say('The database is up to date.');
} catch (error) {
  process.stderr.write(`Could not migrate: ${explainFault(error, config.DATABASE_URL)}\n`);
  process.exitCode = 1;
}
