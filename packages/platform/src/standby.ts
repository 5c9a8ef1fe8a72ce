import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { CheckedPool, NotThereYet } from './checked-pool.ts';
import { type Database, openDatabase, poolOf } from './database.ts';
import { explainDatabaseFault } from './database-faults.ts';
import { inTime, Late } from './in-time.ts';
import type { LogPosition } from './log-position.ts';
import { ReplayWaits } from './replay-waits.ts';
import { findStandbyFault, type Sighting, shows } from './standby-rules.ts';
import { named } from './statement.ts';
import type { Tables } from './tables.ts';

/** A standby that takes longer than this to say where it is is not read from. Those that work take a millisecond. */
const CHECK_PATIENCE_MS = 200;
const LOOK_PATIENCE_MS = 1_000;
/** How long a statement may take there. Longer ones are the primary's, which has more time for them. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** The same for all statements of a read. */
const READ_PATIENCE_MS = 2_500;

interface SightingRow {
  is_standby: boolean;
  replayed_bytes: number;
  received_bytes: number;
  replayed_time_ms: number | null;
  timeline: string | null;
  written_ms: number | null;
}

export interface StandbyOptions {
  /** Host and port, for people. */
  name: string;
  url: string;
  poolSize: number;
  /** The process as whose mark it looks for. */
  reader: string;
  onError: (error: Error) => void;
  /** Has the primary write the half of a record that a standby waits for. */
  completeRecord: () => Promise<void>;
}

/**
 * One server of DATABASE_REPLICA_URL. It may be anything at any time: gone, hung, behind, promoted, or several servers behind
 * one name. So each read asks on its own connection, in front of its first statement, where the server is.
 */
export class Standby {
  readonly name: string;
  readonly #reads: Database;
  /** A connection of its own: looks wait for no read. */
  readonly #looks: Database;
  readonly #waits: ReplayWaits;
  /** Asks where the server is. */
  readonly #question: CompiledQuery<SightingRow>;
  #seen: Sighting | null = null;
  #fault: string | null = 'has not been looked at yet';
  /** Whether a read has failed there since it was last looked at. */
  #isSuspect = false;
  #isPrompt = true;
  /** The primary's, at the last look. */
  #timeline: string | undefined;

  constructor({ name, url, poolSize, reader, onError, completeRecord }: StandbyOptions) {
    this.name = name;
    this.#waits = new ReplayWaits({
      ask: () => this.#ask(CHECK_PATIENCE_MS),
      completeRecord,
      onFailure: () => this.suspect(),
    });
    const common = { url, onError, applicationName: 'lockstep-replica', readOnly: true };
    this.#reads = openDatabase({ ...common, poolSize, queryTimeoutMs: STATEMENT_TIMEOUT_MS });
    this.#looks = openDatabase({ ...common, poolSize: 1, queryTimeoutMs: LOOK_PATIENCE_MS });
    this.#question = askWhereItIs(reader).compile(this.#looks);
  }

  /** Why it cannot be read from, as of the last look; null if it can. */
  get fault(): string | null {
    return this.#fault;
  }

  /** What it said when it was last asked; null if it has never answered. */
  get seen(): Sighting | null {
    return this.#seen;
  }

  /** Finds out whether it can be read from by calls on this timeline of the primary. */
  async look(timeline: string): Promise<void> {
    // A place on another timeline is never reached: nobody is late for it.
    if (timeline !== this.#timeline) this.#waits.giveUp();
    this.#timeline = timeline;
    try {
      const sighting = await this.#ask(LOOK_PATIENCE_MS);
      this.#fault = findStandbyFault(sighting, timeline, performance.now());
      this.#isSuspect = false;
    } catch (error) {
      this.#seen = null;
      this.#fault = error instanceof Late ? error.message : (explainDatabaseFault(error) ?? String(error));
    }
    if (this.#fault !== null) this.#waits.giveUp();
  }

  /** Says why no mark could be written on the primary: so nobody knows which standby follows it. */
  forget(why: string): void {
    this.#fault = `cannot be held against the primary: ${why}`;
    this.#waits.giveUp();
  }

  /** Whether it is worth trying. */
  get isUsable(): boolean {
    return this.#fault === null && !this.#isSuspect;
  }

  /** Whether it is so close behind the primary that calls need not ask before they read. */
  get isPrompt(): boolean {
    return this.#isPrompt;
  }

  /** Whether it showed all that stands in front of a place when it was last asked. */
  isAt(position: LogPosition): boolean {
    return this.#seen !== null && shows(this.#seen, position, performance.now());
  }

  /** Waits until it shows all that stands in front of a place, `patienceMs` at most. Returns whether it does. */
  async reaches(position: LogPosition, patienceMs: number): Promise<boolean> {
    return this.isAt(position) || (await this.#waits.wait(position, patienceMs));
  }

  /**
   * Reads there, by statements that all see what stands in front of a place. It takes a few seconds at most.
   * @throws whatever is the matter with the server, or what `work` throws
   */
  async read<Result>(position: LogPosition, work: (db: Database) => Promise<Result>): Promise<Result> {
    const pool = new CheckedPool(poolOf(this.#reads), (client) => this.#check(client, position), CHECK_PATIENCE_MS);
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    // All on one connection: behind the name of a host there may be several servers, one of them behind the others.
    return await inTime(db.connection().execute(work), READ_PATIENCE_MS, 'does not answer in time');
  }

  /** Keeps others away from it until it has been looked at again. */
  suspect(): void {
    this.#isSuspect = true;
    this.#waits.giveUp();
  }

  async close(): Promise<void> {
    this.#waits.close();
    await Promise.all([this.#reads.destroy(), this.#looks.destroy()]);
  }

  async #check(client: { query: (text: string, values: unknown[]) => Promise<unknown> }, position: LogPosition) {
    const { sql: text, parameters } = this.#question;
    const { rows } = (await client.query(text, [...parameters])) as { rows: [SightingRow] };
    const sighting = buildSighting(rows[0]);
    this.#seen = sighting;
    const nowMs = performance.now();
    const fault = findStandbyFault(sighting, position.timeline, nowMs);
    if (fault !== null) throw new Error(fault);
    this.#isPrompt = shows(sighting, position, nowMs);
    if (!this.#isPrompt) throw new NotThereYet();
  }

  async #ask(patienceMs: number): Promise<Sighting> {
    const { rows } = await inTime(this.#looks.executeQuery(this.#question), patienceMs, 'does not answer in time');
    this.#seen = buildSighting(rows[0]!);
    return this.#seen;
  }
}

/** Where a server is, and the newest mark of a process that it shows. */
function askWhereItIs(reader: string) {
  return named(
    'look_at_replay',
    sql<SightingRow>`
      select pg_is_in_recovery() as is_standby,
        (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::float8 as replayed_bytes,
        (coalesce(pg_last_wal_receive_lsn(), '0/0') - '0/0')::float8 as received_bytes,
        (extract(epoch from pg_last_xact_replay_timestamp()) * 1000)::float8 as replayed_time_ms,
        mark.timeline, mark.written_ms
      from (select) as here left join replica_mark as mark on mark.reader = ${reader}::uuid`,
  );
}

function buildSighting(row: SightingRow): Sighting {
  const { timeline, written_ms: writtenMs } = row;
  return {
    isStandby: row.is_standby,
    replayedBytes: row.replayed_bytes,
    receivedBytes: row.received_bytes,
    replayedTimeMs: row.replayed_time_ms,
    mark: timeline === null || writtenMs === null ? null : { timeline, writtenMs },
  };
}
