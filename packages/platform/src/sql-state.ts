import pg from 'pg';
import { Overload } from './deadline.ts';

const DEADLOCK_DETECTED = '40P01';
const SERIALIZATION_FAILURE = '40001';
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const TRANSACTION_TIMEOUT = '25P04';

/** The SQLSTATE of an error that PostgreSQL reported; undefined for any other error. */
function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Whether a row was refused because another one has the same key in this unique index or constraint. */
export function violatesUnique(error: unknown, name: string): boolean {
  return sqlState(error) === UNIQUE_VIOLATION && (error as pg.DatabaseError).constraint === name;
}

/**
 * Whether two transactions met and this one lost: if it runs again, it sees what the other one committed. A unique
 * violation counts, because rows are written only after a read found them absent.
 */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE || state === UNIQUE_VIOLATION;
}

/** Whether nothing was done only because others had a lock or were first: the same may succeed when they have finished. */
export function lostAgainstOthers(error: unknown): boolean {
  const state = sqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE;
}

/**
 * SQLSTATE classes that say that PostgreSQL cannot serve now: connection, transaction state (a standby, a transaction
 * that has failed already), rollback, resources, operator, system.
 */
const UNAVAILABLE = ['08', '25', '40', '53', '55', '57', '58'];

/**
 * Whether a statement that wrote several things may have failed because of one of them, so that it is worth writing
 * them one by one. It proves nothing: what fails alone may still fail because of something around it; see
 * refusesValues.
 */
export function mayLieInOnePart(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !UNAVAILABLE.includes(state.slice(0, 2));
}

/** The SQLSTATE class of data exceptions. */
const OF_VALUES = '22';
/** The only data exception that concerns no value: a sequence has come to its end. */
const SEQUENCE_LIMIT_EXCEEDED = '2200H';

/**
 * Whether PostgreSQL refused values because of their types. A rule of the database that refuses them may be another's.
 */
export function refusesValues(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && state !== SEQUENCE_LIMIT_EXCEEDED && state.startsWith(OF_VALUES);
}

/** The message of the pool's error when all its connections stay in use for too long; the error has no code. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/**
 * Whether something was not done for lack of time: no turn, no connection, a lock that others hold, a statement that
 * took too long. PostgreSQL has rolled back the whole transaction, so nothing has changed, and the same may succeed
 * later.
 */
export function isOverload(error: unknown): boolean {
  if (error instanceof Overload) return true;
  const state = sqlState(error);
  if (state === LOCK_NOT_AVAILABLE || state === QUERY_CANCELED || state === TRANSACTION_TIMEOUT) return true;
  return error instanceof Error && error.message === NO_CONNECTION_FREE;
}
