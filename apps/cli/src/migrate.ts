import { chooseQueueBackend, configOrExit, explainFault, readDeploymentConfig } from '@lockstep/platform';
import { describeLeft, migrateDatabase } from './migrate-database.ts';
import { say } from './say.ts';

/** `npm run migrate`: once before the first start, and before and after the processes of a new version start (rules 9). */
const config = configOrExit(readDeploymentConfig);
try {
  const queue = chooseQueueBackend(config, config.DATABASE_URL);
  const onApplied = (name: string) => say(`applied ${name}`);
  const migrated = await migrateDatabase(config.DATABASE_URL, queue, { onApplied });
  if (migrated.left.length === 0) say('The database is up to date.');
  else say(`The database can be used by this version. ${describeLeft(migrated)}`);
} catch (error) {
  process.stderr.write(`Could not migrate: ${explainFault(error, config.DATABASE_URL)}\n`);
  process.exitCode = 1;
}
