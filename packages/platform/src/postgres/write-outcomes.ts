import pg from 'pg';

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
  '54000': { file: 'varsup.c', reason: 'it has run out of transaction ids' },
};

/**
 * Judges from a process's own writes whether the database takes writes (rules 9). It takes none if a write of the last
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
    return `PostgreSQL takes no writes: ${this.#reason}`;
  }
}
