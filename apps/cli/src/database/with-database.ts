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
import { findDatabaseUrl, nothingRuns } from '../stack/stack.ts';

/** The time for checking the database, and again for the work, including waits for locks. */
const COMMAND_TIMEOUT_MS = 30_000;

/** Reads the variables of a command on the database. Throws CommandFault if one is invalid. */
export function readCommandConfig(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env);
  } catch (error) {
    throw new CommandFault('usage', (error as Error).message, { cause: error });
  }
}

/** Reads the variables of a command on the embedded PostgreSQL. Throws CommandFault if DATABASE_URL is set. */
export function readStackConfig(env: NodeJS.ProcessEnv): Config {
  const config = readCommandConfig(env);
  if (config.DATABASE_URL === undefined) return config;
  throw new CommandFault(
    'refused',
    'This command is for the embedded PostgreSQL of npm start, but DATABASE_URL is set. Unset it, or use pg_dump.',
  );
}

/**
 * Runs work on the database in DATABASE_URL or, if that is not set, on the database of the `npm start` that runs in
 * DATA_DIR. Errors have a message of one line.
 */
export async function withDatabase<Result>(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> {
  const url = await findDatabaseUrl(config);
  const db = openDatabase({ url, poolSize: 2, applicationName: 'lockstep-cli', onError: () => {} });
  const looking = new Deadline(COMMAND_TIMEOUT_MS);
  const working = new Deadline(COMMAND_TIMEOUT_MS);
  try {
    const fault = await findSchemaFault(within(db, looking), RELEASE);
    if (fault !== null) throw new Error(fault);
    return await work(within(db, working));
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    if (isOverload(error)) {
      const message = 'The database is busy with another change. Try again.';
      throw new CommandFault('unreachable', message, { cause: error });
    }
    const isStopped = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && config.DATABASE_URL === undefined;
    throw isStopped
      ? nothingRuns(config.DATA_DIR, error)
      : new CommandFault(kindOf(error), explainFault(error, url), { cause: error });
  } finally {
    looking.end();
    working.end();
    await db.destroy();
  }
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
