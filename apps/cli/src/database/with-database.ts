import { type Config, RELEASE } from '@lockstep/config';
import {
  type Database,
  Deadline,
  explainFault,
  findSchemaFault,
  isOverload,
  openDatabase,
  readConfig,
  within,
} from '@lockstep/platform';
import { findDatabaseUrl, NothingRuns } from '../stack/stack.ts';

/** Runs work on the database of the command. What goes wrong is an Error with one line. */
type WithDatabase = <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;

/** What a command on the database works with. */
export interface DatabaseTools {
  config: Config;
  withDatabase: WithDatabase;
}

/** How long a command waits for the database and for locks. */
const COMMAND_TIMEOUT_MS = 30_000;

/**
 * Finds the database of the command: DATABASE_URL, or that of the `npm start` that runs in DATA_DIR. Connects to it when
 * there is work.
 * @throws Error of one line if a variable is wrong
 */
export function openTools(env: NodeJS.ProcessEnv): DatabaseTools {
  const config = readConfig(env);
  return { config, withDatabase: withDatabaseOf(config) };
}

function withDatabaseOf(config: Config): WithDatabase {
  return async (work) => {
    const url = await findDatabaseUrl(config);
    const db = openDatabase({ url, poolSize: 2, applicationName: 'lockstep-cli', onError: () => {} });
    const looking = new Deadline(COMMAND_TIMEOUT_MS);
    const working = new Deadline(COMMAND_TIMEOUT_MS);
    try {
      const fault = await findSchemaFault(within(db, looking), RELEASE);
      if (fault !== null) throw new Error(fault);
      return await work(within(db, working));
    } catch (error) {
      if (isOverload(error))
        throw new Error('Somebody else is changing the same just now. Try again.', { cause: error });
      const isAway = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && config.DATABASE_URL === undefined;
      throw isAway
        ? new NothingRuns(config.DATA_DIR, error)
        : new Error(explainFault(error, url, RELEASE), { cause: error });
    } finally {
      looking.end();
      working.end();
      await db.destroy();
    }
  };
}
