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

/** Runs work on the database. Errors have a message of one line. */
type WithDatabase = <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;

/** The tools of a command on the database. */
export interface DatabaseTools {
  config: Config;
  withDatabase: WithDatabase;
}

/** The time for checking the database, and again for the work, including waits for locks. */
const COMMAND_TIMEOUT_MS = 30_000;

/**
 * Returns the tools for the database in DATABASE_URL or, if that is not set, for the database of the `npm start` that
 * runs in DATA_DIR. Does not connect yet.
 * @throws CommandFault if a variable is invalid
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
        const message = 'The database is busy with another change. Try again.';
        throw new CommandFault('unreachable', message, { cause: error });
      }
      const isStopped = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && config.DATABASE_URL === undefined;
      throw isStopped
        ? new NothingRuns(config.DATA_DIR, error)
        : new CommandFault(kindOf(error), explainFault(error, url, RELEASE), { cause: error });
    } finally {
      looking.end();
      working.end();
      await db.destroy();
    }
  };
}

/** The error for something that does not exist, in the words of the console. `hint` is one more sentence. */
export function notFound(kind: string, id: string, hint?: string): CommandFault {
  const { message } = new ConsoleRefusal('not_found', kind, id);
  return new CommandFault('notFound', hint === undefined ? message : `${message} ${hint}`);
}

function kindOf(error: unknown): FaultKind {
  if (error instanceof ConsoleRefusal) return error.reason === 'not_found' ? 'notFound' : 'refused';
  return isTransient(error) ? 'unreachable' : 'fault';
}
