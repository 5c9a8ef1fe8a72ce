import { sql } from 'kysely';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database, Tables } from '../postgres/database.ts';
import type { Logger } from './log.ts';

/** Rows that are deleted when they are too old. The owner of their table says which. */
export interface Aged {
  /** What they are called in the log and the metrics. */
  kind: string;
  table: keyof Tables;
  /** The column from whose time on the age counts. It needs an index, for the oldest rows. */
  timeColumn: string;
  /** 0: they are too old as soon as that time has come. */
  maxAgeSeconds: number;
}

export const SECONDS_OF_DAY = 86_400;

/** Rows of one statement: so few that nobody waits for it. */
const ROWS_AT_ONCE = 1_000;

/**
 * Deletes all that is too old, in small steps: each kind in turn, so that much of one kind keeps no other waiting. Any
 * number of workers may do so at the same time: each leaves out what another one is deleting.
 */
export class CleanUp {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #deletedRows: Counter;
  readonly #aged: readonly Aged[];
  readonly #failing = new Set<string>();

  /** `metricPrefix`: what the name of its counter begins with. */
  constructor(options: {
    db: Database;
    log: Logger;
    registry: Registry;
    metricPrefix: string;
    aged: readonly Aged[];
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#deletedRows = deletedRowsOf(options.registry, options.metricPrefix);
    this.#aged = options.aged;
  }

  /**
   * Deletes until nothing is too old any more, or `signal` aborts. A kind that fails stops no other; the log says once
   * that it fails, and once that it works again.
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

  /** Deletes some rows of a kind, and returns whether there may be more. */
  async #deleteSome(aged: Aged): Promise<boolean> {
    const { kind } = aged;
    try {
      const rows = await deleteOldest(this.#db, aged);
      this.#deletedRows.inc({ kind }, rows);
      if (this.#failing.delete(kind)) this.#log.info({ kind }, 'cleanup resumed');
      return rows === ROWS_AT_ONCE;
    } catch (error) {
      if (!this.#failing.has(kind)) {
        this.#log.warn({ err: error, kind }, 'cleanup failed; will retry');
      }
      this.#failing.add(kind);
      return false;
    }
  }
}

async function deleteOldest(db: Database, { table, timeColumn, maxAgeSeconds }: Aged): Promise<number> {
  const [rows, time] = [sql.table(table), sql.ref(timeColumn)];
  // A locked row stays where it is. By ctid, which every table has.
  const { numAffectedRows = 0n } = await sql`
    delete from ${rows} where ctid = any (array(
      select ctid from ${rows} where ${time} < statement_timestamp() - make_interval(secs => ${maxAgeSeconds})
      order by ${time} limit ${ROWS_AT_ONCE} for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows);
}

const counters = new WeakMap<Registry, Counter>();

/** The counter of a registry: the same one for all workers of a process. */
function deletedRowsOf(registry: Registry, metricPrefix: string): Counter {
  const counter =
    counters.get(registry) ??
    new Counter({
      name: `${metricPrefix}_cleanup_deleted_rows_total`,
      help: 'Rows deleted after their retention period',
      labelNames: ['kind'],
      registers: [registry],
    });
  counters.set(registry, counter);
  return counter;
}

const gauged = new WeakSet<Registry>();

/**
 * Adds the gauge of how far the clean-up is behind, which reads the database at every scrape: so it also says when
 * nobody cleans up. A second worker of a process adds nothing: it cleans up the same. A kind that cannot be read is
 * absent.
 */
export function registerCleanUpGauge(
  registry: Registry,
  metricPrefix: string,
  db: Database,
  aged: readonly Aged[],
): void {
  if (gauged.has(registry)) return;
  gauged.add(registry);
  new Gauge({
    name: `${metricPrefix}_cleanup_behind_seconds`,
    help: 'Time since the oldest undeleted row passed its retention period; 0 if none is overdue',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const behind = await readCleanUpBehind(db, aged).catch(() => []);
      this.reset();
      for (const { kind, seconds } of behind) this.set({ kind }, seconds);
    },
  });
}

/** For how long the oldest row of a kind should have been deleted; 0 if there is none to delete. */
export interface CleanUpBehind {
  kind: string;
  seconds: number;
}

/**
 * Reads how far the clean-up is behind, of each kind that can be read. On one connection, so that a database that is
 * down is waited for once.
 */
export async function readCleanUpBehind(db: Database, aged: readonly Aged[]): Promise<CleanUpBehind[]> {
  return await db.connection().execute(async (connection) => {
    const behind: CleanUpBehind[] = [];
    for (const { kind, table, timeColumn, maxAgeSeconds } of aged) {
      try {
        const { rows } = await sql<{ seconds: number | null }>`
          select extract(epoch from statement_timestamp() - min(${sql.ref(timeColumn)}))::float8 as seconds
          from ${sql.table(table)}`.execute(connection);
        behind.push({ kind, seconds: Math.max(0, (rows[0]!.seconds ?? 0) - maxAgeSeconds) });
      } catch {
        // Its clean-up fails as well, and tells the log.
      }
    }
    return behind;
  });
}
