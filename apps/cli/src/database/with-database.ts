import { type Config, RELEASE, readConfig } from '@lockstep/config';
import { ConsoleRefusal } from '@lockstep/contract/console';
import {
  type Database,
  Deadline,
  explainFault,
  findSchemaFault,
  isOverload,
  isTransient,
  openDatabase,
  within,
} from '@lockstep/platform';
import { CommandFault, type FaultKind } from '../output/status.ts';
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
 * Finds the database of the command: DATABASE_URL, or that of the `npm start` that runs in DATA_DIR. Connects to it
 * when there is work.
 * @throws Error of one line if a variable is wrong
 */
export function openTools(env: NodeJS.ProcessEnv): DatabaseTools {
  try {
    const config = readConfig(env);
    return { config, withDatabase: withDatabaseOf(config) };
  } catch (error) {
    throw new CommandFault('usage', (error as Error).message, { cause: error });
  }
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
      if (isOverload(error)) {
        const message = 'Somebody else is changing the same just now. Try again.';
        throw new CommandFault('unreachable', message, { cause: error });
      }
      const isAway = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && config.DATABASE_URL === undefined;
      throw isAway
        ? new NothingRuns(config.DATA_DIR, error)
        : new CommandFault(kindOf(error), explainFault(error, url, RELEASE), { cause: error });
    } finally {
      looking.end();
      working.end();
      await db.destroy();
    }
  };
}

function kindOf(error: unknown): FaultKind {
  if (error instanceof ConsoleRefusal) return error.reason === 'not_found' ? 'notFound' : 'refused';
  return isTransient(error) ? 'unreachable' : 'fault';
}
