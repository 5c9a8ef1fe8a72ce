import pg from 'pg';
import { Overload } from '../concurrency/deadline.ts';
import { ReadOnlyServer } from './pool.ts';

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
 * What the name of a unique index ends in whose keys callers choose. A row is written there only after a read found the
 * key absent, so a violation means that another transaction was first. A violation of any other one comes again,
 * however often it is tried.
 */
const CHOSEN_KEY = /_chosen$/;

/** Whether two transactions met and this one lost: if it runs again, it sees what the other one committed. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  if (state === UNIQUE_VIOLATION) return CHOSEN_KEY.test((error as pg.DatabaseError).constraint ?? '');
  return state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE;
}

/**
 * Whether nothing was done only because others had a lock or were first: the same may succeed when they have finished.
 */
export function lostAgainstOthers(error: unknown): boolean {
  const state = sqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE;
}

/**
 * SQLSTATE classes that say that PostgreSQL cannot serve now: connection, transaction state (a standby, a transaction
 * that has failed already), rollback, resources, operator, system.
 */
const UNAVAILABLE = ['08', '25', '40', '53', '57', '58'];

/** What is said, without a code, when a connection is gone or does not answer. */
const CONNECTION_GONE =
  /^(Connection terminated|Query read timeout|Client (was closed|has encountered a connection error)|the outcome of a commit is not known)/;

/**
 * Whether something failed for what may pass by itself and lies in none of the values: a lost connection, resources,
 * locks, a conflict with another transaction.
 */
export function isTransient(error: unknown): boolean {
  if (isConflict(error) || isOverload(error) || error instanceof ReadOnlyServer) return true;
  const state = sqlState(error);
  if (state !== undefined) return UNAVAILABLE.includes(state.slice(0, 2));
  // What Node says of a socket names the call of the system.
  return error instanceof Error && ('syscall' in error || CONNECTION_GONE.test(error.message));
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

/** For how long a failed write counts. */
const COUNTS_MS = 10_000;

/**
 * What proves that PostgreSQL takes no writes, by SQLSTATE. Each has other meanings as well, so the source file that it
 * comes from is part of the proof: a full disk is also what a sort says whose temporary file does not fit, and what a
 * parallel query says that gets no shared memory.
 */
const PROOFS: Record<string, { file?: string; reason: string }> = {
  // read_only_sql_transaction
  '25006': { reason: 'the database is read-only' },
  // disk_full, when a table or an index needs a new page
  '53100': { file: 'md.c', reason: 'its disk is full' },
  // program_limit_exceeded, when a transaction that writes needs an id
  '54000': { file: 'varsup.c', reason: 'it has run out of transaction IDs' },
};

/**
 * Judges from a process's own writes whether the database takes writes. It takes none if a write of the last
 * 10 seconds failed for that, and none has succeeded since the first that did. A process that has not written for 10
 * seconds knows nothing, so its next calls find out.
 */
export class WriteOutcomes {
  readonly #now: () => number;
  #reason: string | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  /** When the last write failed that another one succeeded after. */
  #overcomeAtMs = Number.NEGATIVE_INFINITY;

  /** `now` returns milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes that new rows are stored. */
  noteStored(): void {
    this.#overcomeAtMs = this.#failedAtMs;
  }

  /** Notes the error of a statement. Only one that proves that the database takes no writes counts. */
  noteError(error: unknown): void {
    const { code = '', file } = error instanceof pg.DatabaseError ? error : {};
    const proof = PROOFS[code];
    if (proof === undefined || (proof.file !== undefined && proof.file !== file)) return;
    this.#reason = proof.reason;
    this.#failedAtMs = this.#now();
  }

  /** Returns why the database takes no writes; null if it takes them, or if that is not known. */
  findFault(): string | null {
    const counts = (atMs: number) => this.#now() - atMs < COUNTS_MS;
    if (!counts(this.#failedAtMs) || counts(this.#overcomeAtMs)) return null;
    return `PostgreSQL rejects writes: ${this.#reason}`;
  }
}
