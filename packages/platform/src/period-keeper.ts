import { sql } from 'kysely';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from './database.ts';
import type { Logger } from './log.ts';
import { findMissingPartitions } from './partitions.ts';
import { isOver, type Period } from './period-rule.ts';

/** Periods for which partitions are made before they begin; make_partitions makes as many. */
const PERIODS_AHEAD = 2;

/** The newest period, and what the database says besides. */
interface PeriodState extends Period {
  /** The database's clock. */
  now: Date;
  /** For how many periods after it the partitions are there. */
  ahead: number;
}

/**
 * Makes partitions ahead and begins a period with each month. Any number of workers may do so at the same time: the
 * database lets one after the other, and whoever comes later finds it done.
 */
export class PeriodKeeper {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #failures: Counter;
  #isFailing = false;

  constructor({ db, log, registry }: { db: Database; log: Logger; registry: Registry }) {
    this.#db = db;
    this.#log = log;
    this.#failures = failuresOf(registry);
  }

  /** Does what is due. A failure harms nobody: rows stay in the current period. The log says it once, and when it is over. */
  async run(): Promise<void> {
    try {
      await this.#keep();
      if (this.#isFailing) this.#log.info('partitions are made ahead again');
      this.#isFailing = false;
    } catch (error) {
      this.#failures.inc();
      if (!this.#isFailing) this.#log.warn({ err: error }, 'partitions could not be made ahead; tried again and again');
      this.#isFailing = true;
    }
  }

  async #keep(): Promise<void> {
    const period = await readPeriod(this.#db);
    if (period === null) return;
    if (period.ahead < PERIODS_AHEAD) await makePartitions(this.#db);
    if (!isOver(period, period.now)) return;
    const begun = await beginPeriod(this.#db, period.number);
    if (begun === null) return;
    this.#log.info({ period: begun }, 'a new period has begun');
    await makePartitions(this.#db);
  }
}

/** Reads the newest period; null while the tables have no partitions yet. */
async function readPeriod(db: Database): Promise<PeriodState | null> {
  const { rows } = await sql<PeriodState>`
    select number, began_time as "beganTime", statement_timestamp() as now, partitions_ahead() as ahead
    from period order by number desc limit 1`.execute(db);
  return rows[0] ?? null;
}

async function makePartitions(db: Database): Promise<void> {
  await sql`select make_partitions()`.execute(db);
}

/** Begins the period behind one, and returns its number; null if another process has done so. */
async function beginPeriod(db: Database, after: number): Promise<number | null> {
  const { rows } = await sql<{ begun: number | null }>`select begin_period(${after}) as begun`.execute(db);
  return rows[0]!.begun;
}

const counters = new WeakMap<Registry, Counter>();

/** The counter of a registry: the same one for all workers of a process. */
function failuresOf(registry: Registry): Counter {
  const counter =
    counters.get(registry) ??
    new Counter({
      name: 'lockstep_period_failures_total',
      help: 'Times that a worker could not make partitions ahead or begin a period',
      registers: [registry],
    });
  counters.set(registry, counter);
  return counter;
}

const gauged = new WeakSet<Registry>();

/** Adds gauges of the periods, which read the database at every scrape. What cannot be read is absent. */
export function registerPeriodGauges(registry: Registry, db: Database): void {
  if (gauged.has(registry)) return;
  gauged.add(registry);
  const ofPeriod = (name: string, help: string, measure: (period: PeriodState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const period = await readPeriod(db).catch(() => null);
        if (period === null) this.remove();
        else this.set(measure(period));
      },
    });
  ofPeriod('lockstep_partitions_ahead', 'Periods to come whose partitions are there', ({ ahead }) => ahead);
  ofPeriod(
    'lockstep_period_age_seconds',
    'For how long rows have gone into the partitions of the current period',
    ({ beganTime, now }) => (now.getTime() - beganTime.getTime()) / 1_000,
  );
  new Gauge({
    name: 'lockstep_missing_partitions',
    help: 'Partitions of periods that have begun which somebody dropped or detached: the service stands still',
    registers: [registry],
    async collect() {
      const missing = await findMissingPartitions(db).catch(() => null);
      if (missing === null) this.remove();
      else this.set(missing.length);
    },
  });
}
