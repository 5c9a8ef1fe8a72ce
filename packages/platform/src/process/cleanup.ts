import { sql } from 'kysely';
import type { Counter, Registry } from 'prom-client';
import type { Database } from '../postgres/database.ts';
import type { Logger } from './log.ts';
import { addCounter, addGauge } from './metrics.ts';

/** Rows that have a retention period. The owner of the table declares them. */
export interface Aged {
  /** Also its kind in logs and metrics. */
  table: string;
  /** The column with the time from which the age counts. It needs an index, to find the oldest rows. */
  timeColumn: string;
  /** 0 means that rows expire at the time in the column. */
  maxAgeSeconds: number;
}

export const SECONDS_OF_DAY = 86_400;

const DELETED_ROWS = 'lockstep_cleanup_deleted_rows_total';
const BEHIND_SECONDS = 'lockstep_cleanup_behind_seconds';

/** Rows of a statement: few, so that its locks are short. */
const ROWS_AT_ONCE = 1_000;

/**
 * Deletes rows past their retention period, in small steps. The kinds take turns, so that a backlog of one does not
 * delay the others. Workers may clean up concurrently: each skips rows that another one is deleting.
 */
export class Cleanup {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #deletedRows: Counter;
  readonly #aged: readonly Aged[];
  readonly #failing = new Set<string>();

  constructor(options: { db: Database; log: Logger; registry: Registry; aged: readonly Aged[] }) {
    const { registry } = options;
    this.#db = options.db;
    this.#log = options.log;
    this.#aged = options.aged;
    // All workers of a process share the counter.
    const counter = registry.getSingleMetric(DELETED_ROWS) as Counter | undefined;
    const help = 'Rows deleted after their retention period';
    this.#deletedRows = counter ?? addCounter(registry, DELETED_ROWS, help, 'kind');
  }

  /**
   * Deletes until no row is overdue or `signal` aborts. If a kind fails, the others continue. Logs its first failure
   * and its recovery.
   */
  async run(signal?: AbortSignal): Promise<void> {
    let unfinished = this.#aged;
    while (unfinished.length > 0) {
      const further: Aged[] = [];
      for (const aged of unfinished) {
        if (signal?.aborted) return;
        if (await this.#deleteSome(aged)) further.push(aged);
      }
      unfinished = further;
    }
  }

  /** Deletes some rows of a kind. Returns whether there may be more. */
  async #deleteSome(aged: Aged): Promise<boolean> {
    const { table: kind } = aged;
    try {
      const rows = await deleteOldest(this.#db, aged);
      this.#deletedRows.inc({ kind }, rows);
      if (this.#failing.delete(kind)) this.#log.info({ kind }, 'cleanup resumed');
      return rows === ROWS_AT_ONCE;
    } catch (error) {
      if (!this.#failing.has(kind)) this.#log.warn({ err: error, kind }, 'cleanup failed; will retry');
      this.#failing.add(kind);
      return false;
    }
  }
}

async function deleteOldest(db: Database, { table, timeColumn, maxAgeSeconds }: Aged): Promise<number> {
  const [rows, time] = [sql.table(table), sql.ref(timeColumn)];
  // Skips locked rows. Uses ctid, because every table has it.
  const { numAffectedRows = 0n } = await sql`
    delete from ${rows} where ctid = any (array(
      select ctid from ${rows} where ${time} < statement_timestamp() - make_interval(secs => ${maxAgeSeconds})
      order by ${time} limit ${ROWS_AT_ONCE} for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Registers the gauge of how far cleanup is behind. It reads the database at every scrape, so it also shows that no
 * worker cleans up. It omits kinds that cannot be read. Does nothing if the registry has the gauge already.
 */
export function registerCleanupGauge(registry: Registry, db: Database, aged: readonly Aged[]): void {
  if (registry.getSingleMetric(BEHIND_SECONDS) !== undefined) return;
  const help = 'Time since the oldest undeleted row passed its retention period; 0 if none is overdue';
  addGauge(registry, { name: BEHIND_SECONDS, help, label: 'kind' }, async () =>
    (await readCleanupBehind(db, aged)).map(({ kind, seconds }) => [kind, seconds]),
  );
}

/**
 * Reads for how many seconds the oldest row of each kind that can be read is past its retention period; 0 if none is.
 * Uses one connection, so that it waits only once for an unavailable database.
 */
export async function readCleanupBehind(db: Database, aged: readonly Aged[]) {
  return await db.connection().execute(async (connection) => {
    const behind: { kind: string; seconds: number }[] = [];
    for (const { table, timeColumn, maxAgeSeconds } of aged) {
      try {
        const { rows } = await sql<{ seconds: number | null }>`
          select extract(epoch from statement_timestamp() - min(${sql.ref(timeColumn)}))::float8 as seconds
          from ${sql.table(table)}`.execute(connection);
        behind.push({ kind: table, seconds: Math.max(0, (rows[0]!.seconds ?? 0) - maxAgeSeconds) });
      } catch {
        // Its cleanup fails too, and logs that.
      }
    }
    return behind;
  });
}
