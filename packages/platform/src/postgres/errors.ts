import pg from 'pg';
import { Overload } from '../concurrency/deadline.ts';
import { OutcomeUnknown, ReadOnlyServer } from './pool.ts';

const DEADLOCK_DETECTED = '40P01';
const SERIALIZATION_FAILURE = '40001';
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const TRANSACTION_TIMEOUT = '25P04';

/** Returns the SQLSTATE of an error that PostgreSQL reported; undefined for any other error. */
function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * The suffix of a unique index whose keys callers choose. A statement inserts there only after a read found the key
 * absent, so a violation means that another transaction came first. A violation of any other unique index would recur.
 */
const CHOSEN_KEY = /_chosen$/;

/** Whether the transaction lost a conflict with another one: if it runs again, it sees what the other one committed. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  if (state === UNIQUE_VIOLATION) return CHOSEN_KEY.test((error as pg.DatabaseError).constraint ?? '');
  return state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE;
}

/**
 * Whether the work failed only because others held a lock or came first: a retry may succeed when they have finished.
 */
export function lostAgainstOthers(error: unknown): boolean {
  const state = sqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE;
}

/**
 * SQLSTATE classes that mean PostgreSQL cannot serve now: connection, transaction state (a standby, a failed
 * transaction), rollback, resources, operator, system.
 */
const UNAVAILABLE = ['08', '25', '40', '53', '57', '58'];

/** The messages, without a code, for a connection that is gone or does not answer. */
const CONNECTION_GONE =
  /^(Connection terminated|Query read timeout|Client (was closed|has encountered a connection error))/;

/**
 * Whether a failure may pass by itself and does not depend on the values: a lost connection, resources, locks, a
 * conflict with another transaction.
 */
export function isTransient(error: unknown): boolean {
  if (isConflict(error) || isOverload(error)) return true;
  if (error instanceof ReadOnlyServer || error instanceof OutcomeUnknown) return true;
  const state = sqlState(error);
  if (state !== undefined) return UNAVAILABLE.includes(state.slice(0, 2));
  return isUnreachable(error) || (error instanceof Error && CONNECTION_GONE.test(error.message));
}

/** Whether the network failed: on the way to one address, or to each of the addresses of a name. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnreachable);
  return (
    error instanceof Error && /^(connect|getaddrinfo|read|write)$/.test((error as NodeJS.ErrnoException).syscall ?? '')
  );
}

/** The message of the pool's error when no connection becomes free in time; the error has no code. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/**
 * Whether the work failed for lack of time: no slot, no connection, a lock held by others, a statement that took too
 * long. PostgreSQL has rolled back the whole transaction, so nothing has changed, and a retry may succeed.
 */
export function isOverload(error: unknown): boolean {
  if (error instanceof Overload) return true;
  const state = sqlState(error);
  if (state === LOCK_NOT_AVAILABLE || state === QUERY_CANCELED || state === TRANSACTION_TIMEOUT) return true;
  return error instanceof Error && error.message === NO_CONNECTION_FREE;
}

/** Describes an error in a few words, without PostgreSQL's detail, which quotes rows. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${code} ${error.message}` : error.message;
}

/** How long a failed write counts. */
const COUNTS_MS = 10_000;

/**
 * Errors that prove that PostgreSQL accepts no writes, by SQLSTATE. Each code has other meanings too, so its source
 * file is part of the proof: a sort also reports a full disk when its temporary file does not fit, and so does a
 * parallel query that gets no shared memory.
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
 * Concludes from a process's own writes whether the database accepts writes. It accepts none if a write within the last
 * 10 seconds failed for such a reason, and none has succeeded since the first that did. A process that has not written
 * for 10 seconds knows nothing; its next calls find out.
 */
export class WriteOutcomes {
  #reason: string | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  /** When the last failed write occurred that a successful one followed. */
  #overcomeAtMs = Number.NEGATIVE_INFINITY;

  /** Records that new rows were stored. */
  noteStored(): void {
    this.#overcomeAtMs = this.#failedAtMs;
  }

  /** Records the error of a statement. Only an error that proves that the database accepts no writes counts. */
  noteError(error: unknown): void {
    const { code = '', file } = error instanceof pg.DatabaseError ? error : {};
    const proof = PROOFS[code];
    if (proof === undefined || (proof.file !== undefined && proof.file !== file)) return;
    this.#reason = proof.reason;
    this.#failedAtMs = performance.now();
  }

  /** Returns why the database accepts no writes; null if it does, or if that is unknown. */
  findFault(): string | null {
    const counts = (atMs: number) => performance.now() - atMs < COUNTS_MS;
    if (!counts(this.#failedAtMs) || counts(this.#overcomeAtMs)) return null;
    return `PostgreSQL rejects writes: ${this.#reason}`;
  }
}
