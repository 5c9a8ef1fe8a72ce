import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Registry } from 'prom-client';
import { NoConnectionFree, NotThereYet } from './checked-pool.ts';
import { type Database, openDatabase } from './database.ts';
import { explainDatabaseFault } from './database-faults.ts';
import { nameHost, readHosts } from './database-hosts.ts';
import { Deadline, Overload } from './deadline.ts';
import type { Logger } from './log.ts';
import type { LogPosition } from './log-position.ts';
import { completeRecord, forgetOldMarks, type MarkedPrimary, writeMark } from './replica-marks.ts';
import { type ReplicaMetrics, registerReplicaMetrics } from './replica-metrics.ts';
import { Standby } from './standby.ts';
import { within } from './within.ts';

/** How long a call waits for a standby that is behind it; then the primary answers it, which takes less than a longer wait. */
const WAIT_MS = 40;
const LOOK_EVERY_MS = 1_000;
/** How long the primary may take to write a mark. */
const MARK_WITHIN_MS = 2_000;

/** A read that may be done on a standby. `work` may run twice. */
export interface Reading<Result> {
  /** What the call has to see: all that stands in front of this. Null: only the primary will do. */
  position: LogPosition | null;
  deadline: Deadline;
  onStandby: (standby: Standby) => Promise<Result>;
  onPrimary: () => Promise<Result>;
}

/**
 * Reads from standbys where they show what a call has to see, and from the primary where they do not, or anything is the
 * matter with them. So no call fails because of a standby, and none misses what was answered before it began.
 *
 * Once a second it writes a mark on the primary and looks for it on the standbys. A standby that shows it follows this primary,
 * whatever the names of hosts say, and its lag is known.
 */
export class ReplicaReads {
  readonly #options: { log: Logger; isAnswer: (error: unknown) => boolean };
  /** Connections of its own: marks wait for no call. Else a primary with much to do would lose the help of its standbys. */
  readonly #primary: Database;
  readonly #standbys: readonly Standby[];
  readonly #metrics: ReplicaMetrics;
  readonly #reader = randomUUID();
  readonly #closing = new AbortController();
  /** What the log last said of a standby: its fault without numbers; null for none. */
  readonly #logged = new Map<Standby, string | null>();
  readonly #running: Promise<void>;
  #turn = 0;
  #completing: Promise<void> | undefined;

  /**
   * @param options.url of one standby or several (config.DATABASE_REPLICA_URL)
   * @param options.primaryUrl where marks are written
   * @param options.until when the primary's tables can be used
   * @param options.isAnswer whether what a read throws is the answer to its call, as good from a standby as from the primary
   */
  constructor(options: {
    url: string;
    poolSize: number;
    primaryUrl: string;
    until: Promise<void>;
    log: Logger;
    registry: Registry;
    isAnswer: (error: unknown) => boolean;
  }) {
    const { url, poolSize, log } = options;
    this.#options = options;
    const onError = (error: Error) => log.debug({ err: error }, 'connection to a standby failed');
    this.#primary = openDatabase({
      url: options.primaryUrl,
      poolSize: 2,
      applicationName: 'lockstep-replica',
      queryTimeoutMs: MARK_WITHIN_MS,
      onError: (error) => log.debug({ err: error }, 'connection for marks failed'),
    });
    const shared = { poolSize, reader: this.#reader, onError, completeRecord: () => this.#completeRecord() };
    this.#standbys = namedUrls(url).map((each) => new Standby({ ...shared, ...each }));
    this.#metrics = registerReplicaMetrics(options.registry);
    this.#running = this.#run(options.until);
  }

  /** Carries out a read where it may be. Throws what the primary throws, or what `isAnswer` knows. */
  async read<Result>({ position, deadline, onStandby, onPrimary }: Reading<Result>): Promise<Result> {
    if (position === null) return await onPrimary();
    const usable = this.#standbys.filter((standby) => standby.isUsable);
    if (usable.length === 0) return await this.#onPrimary('unusable', onPrimary);
    const standby = this.#choose(usable, position);
    let waits = !standby.isPrompt && !standby.isAt(position);
    for (;;) {
      const patienceMs = waits ? Math.min(WAIT_MS, deadline.remainingMs / 2) : 0;
      if (waits && !(await standby.reaches(position, patienceMs))) return await this.#onPrimary('behind', onPrimary);
      try {
        return await this.#onStandby(deadline.race(onStandby(standby)));
      } catch (error) {
        if (deadline.isOver || this.#options.isAnswer(error)) throw error;
        if (error instanceof NotThereYet && !waits) {
          waits = true;
          continue;
        }
        if (error instanceof NotThereYet) return await this.#onPrimary('behind', onPrimary);
        if (error instanceof NoConnectionFree) return await this.#onPrimary('busy', onPrimary);
        if (!liesInStatement(error)) standby.suspect();
        this.#options.log.debug({ err: error, standby: standby.name }, 'a read on a standby failed');
        return await this.#onPrimary('failed', onPrimary);
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await Promise.all([this.#primary.destroy(), ...this.#standbys.map((standby) => standby.close())]);
  }

  async #onStandby<Result>(reading: Promise<Result>): Promise<Result> {
    const count = () => this.#metrics.reads.inc({ served_by: 'standby', reason: '' });
    try {
      const result = await reading;
      count();
      return result;
    } catch (error) {
      if (this.#options.isAnswer(error)) count();
      throw error;
    }
  }

  async #onPrimary<Result>(reason: string, onPrimary: () => Promise<Result>): Promise<Result> {
    this.#metrics.reads.inc({ served_by: 'primary', reason });
    return await onPrimary();
  }

  /** One of those that are there, or else of those that soon will be, in turn. */
  #choose(usable: readonly Standby[], position: LogPosition): Standby {
    const there = usable.filter((standby) => standby.isAt(position));
    const prompt = usable.filter((standby) => standby.isPrompt);
    const candidates = [there, prompt, usable].find((some) => some.length > 0)!;
    return candidates[this.#turn++ % candidates.length]!;
  }

  /** Once at a time, whoever asks: it is a write to the primary's disk. */
  async #completeRecord(): Promise<void> {
    this.#completing ??= completeRecord(this.#primary).finally(() => {
      this.#completing = undefined;
    });
    await this.#completing;
  }

  async #run(until: Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    const closed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([until, closed]);
    if (!signal.aborted) await forgetOldMarks(this.#primary).catch((error: unknown) => this.#warn(error));
    while (!signal.aborted) {
      await this.#look();
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const deadline = new Deadline(MARK_WITHIN_MS);
    try {
      const primary = await writeMark(within(this.#primary, deadline), this.#reader);
      await Promise.all(this.#standbys.map((standby) => standby.look(primary.position.timeline)));
      this.#note(primary);
    } catch (error) {
      const why =
        error instanceof Overload
          ? 'PostgreSQL does not answer in time'
          : (explainDatabaseFault(error) ?? String(error));
      for (const standby of this.#standbys) standby.forget(why);
      this.#note(null);
    } finally {
      deadline.end();
    }
  }

  #note(primary: MarkedPrimary | null): void {
    if (this.#closing.signal.aborted) return;
    for (const standby of this.#standbys) {
      const { name, fault } = standby;
      this.#metrics.note(name, fault === null, primary, standby.seen);
      // The words of the same fault may count seconds.
      const kind = fault?.replaceAll(/\d+/g, '#') ?? null;
      if (this.#logged.get(standby) === kind) continue;
      this.#logged.set(standby, kind);
      if (fault === null) this.#options.log.info({ standby: name }, 'reads from a standby');
      else this.#options.log.warn({ standby: name, reason: `it ${fault}` }, 'does not read from a standby');
    }
  }

  #warn(error: unknown): void {
    this.#options.log.warn({ err: error }, 'could not delete the marks of processes that have ended');
  }
}

/** PostgreSQL's classes of errors that say that it cannot serve at all: connection, resources, operator. */
const OF_THE_SERVER = ['08', '53', '57P'];

/** Whether a failure is of one statement alone, such as a conflict with what the standby replays, or its time. */
function liesInStatement(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return !OF_THE_SERVER.some((states) => error.code?.startsWith(states));
}

function namedUrls(url: string): { name: string; url: string }[] {
  const hosts = readHosts(url);
  return hosts.length > 0 ? hosts : [{ name: nameHost(url), url }];
}
