import type { Statement } from '@lockstep/platform';
import { channelOfColumn, LONGEST_PAUSE_MS, type LockedRow, RECORDED, readLocked, SOON_MS } from '../lanes.ts';

/** How many lanes with pending orders a claim looks at, and how many it takes at most. */
const LANES_LOOKED_AT = 500;
const MAX_LANES = 250;

/** Lanes with little to do share a drain. */
const SMALL = `failures = 0 and turn < statement_timestamp() + interval '${SOON_MS} ms'`;

/** A later time than a failure sets shows that the clock of the database was set back. */
const IS_DUE = `(
  next_try <= statement_timestamp() or next_try > statement_timestamp() + interval '${LONGEST_PAUSE_MS.other} ms'
)`;

type Kind = 'shared' | 'alone';
/** Limits the lanes of each kind that a claim may take. */
const AT_MOST: Record<Kind, string> = { shared: '$2::int', alone: '$3::int' };

const claimable = (kind: Kind, condition = '') => `
  select lane, failures, ${kind === 'shared'} as is_shared from lane
  where ${condition} ${kind === 'shared' ? SMALL : `not (${SMALL})`} and lane = any (array(select lane from pending)) and ${IS_DUE}
    and ${channelOfColumn('lane')} <> all (array(select id from channel where paused_time is not null))
  order by turn limit ${AT_MOST[kind]} for update skip locked`;

const claim = (first: Kind, second: Kind) => `
  with recursive walk as (
    (select lane from lane_chunk where finished_time is null and not is_held and lane > $1::int order by lane limit 1)
    union all
    select (
      select next.lane from lane_chunk as next
      where next.finished_time is null and not next.is_held and next.lane > walk.lane order by next.lane limit 1
    ) from walk where walk.lane is not null
  ), pending as materialized (
    select lane from walk where lane is not null limit ${LANES_LOOKED_AT}
  ), first as (${claimable(first)}
  ), second as (${claimable(second, 'not exists (select from first) and')}
  )
  ${RECORDED}, coalesce(bool_or(is_shared), false) as is_shared, (select count(*)::int from pending) as looked_at, (select max(lane) from pending) as last_lane
  from (select * from first union all select * from second) as claimed`;

interface ClaimedRow extends LockedRow {
  is_shared: boolean;
  looked_at: number;
  last_lane: number | null;
}

/** Looks at the lanes above `afterLane`, up to LANES_LOOKED_AT, and takes those whose turn comes first. */
const claimedLanes = (prefers: Kind, afterLane: number, atMost: Record<Kind, number>): Statement<ClaimedRow> => ({
  name: `claim_${prefers}`,
  text: prefers === 'shared' ? claim('shared', 'alone') : claim('alone', 'shared'),
  values: [afterLane, atMost.shared, atMost.alone],
});

/** Below all lanes. */
const FIRST = -1;

/** One claim, of the drain that it is for. */
export interface Claim {
  /**
   * Locks lanes with pending orders that are due and not locked elsewhere, and whose channel is not paused: several
   * with little to do, or any other one.
   */
  statement: Statement<ClaimedRow>;
  /** Receives the answer. Returns whether another claim may find more lanes. */
  answered: (row: ClaimedRow) => boolean;
  /** The drain has ended. */
  ended: () => void;
}

/**
 * The claims of a process. Each looks at the lanes after those of the one before, and prefers the other kind of lanes.
 * Lanes with little to do share one drain at a time, so that more orders gather for the next, unless there are more
 * than one drain takes. The others leave one drain to them.
 */
export class Claims {
  readonly #atMostAlone: number;
  readonly #running = new Set<{ isShared: boolean; lanes: number }>();
  #afterLane = FIRST;
  #prefers: Kind = 'alone';
  /** Whether a claim has found lanes since the last one that looked at the first lanes. */
  #hasFound = false;

  /** `drains`: how many run at once. */
  constructor(drains: number) {
    this.#atMostAlone = Math.max(1, drains - 1);
  }

  /**
   * Whether orders gather for the next shared drain: the end of this one makes a claim, so a bell needs none. One that
   * could take no more lanes has left orders for another.
   */
  get isGathering(): boolean {
    return this.#running.values().some(({ isShared, lanes }) => isShared && lanes < MAX_LANES);
  }

  begin(): Claim {
    this.#prefers = this.#prefers === 'shared' ? 'alone' : 'shared';
    const drain = { isShared: false, lanes: 0 };
    const ended = () => this.#running.delete(drain);
    const alone = this.#running.values().filter(({ isShared }) => !isShared);
    return {
      statement: claimedLanes(this.#prefers, this.#afterLane, {
        shared: this.isGathering ? 0 : MAX_LANES,
        alone: [...alone].length < this.#atMostAlone ? 1 : 0,
      }),
      answered: (row) => {
        drain.isShared = row.is_shared;
        drain.lanes = readLocked([row]).length;
        // After a conflict, the transaction runs again and claims again.
        ended();
        const mayFindMore = this.#moveOn(drain.lanes, row);
        if (drain.lanes > 0) this.#running.add(drain);
        return mayFindMore;
      },
      ended,
    };
  }

  #moveOn(found: number, { looked_at: lookedAt, last_lane: lastLane }: ClaimedRow): boolean {
    const lookedAtFirst = this.#afterLane === FIRST;
    this.#afterLane = lookedAt < LANES_LOOKED_AT ? FIRST : lastLane!;
    this.#hasFound = found > 0 || (this.#hasFound && !lookedAtFirst);
    const ofOthers = this.#running.values().reduce((sum, { lanes }) => sum + lanes, 0);
    const hasMoreHere = found > 0 && found + ofOthers < lookedAt;
    return hasMoreHere || this.#afterLane !== FIRST || (!lookedAtFirst && this.#hasFound);
  }
}

/** The pause after a failed drain before the loop claims again. */
const FAILURE_PAUSE_MS = 100;

/** What became of a drain. */
export type Became = 'worked' | 'idle' | 'failed';

/**
 * Runs the drains of a process. A bell says that orders wait. Then the loop claims lanes and drains them, a number of
 * drains at once, until a claim finds none. One claim runs at a time, and bells that ring meanwhile share the next.
 */
export class DrainLoop {
  readonly #drains: number;
  readonly #drain: (claimed: (mayFindMore: boolean) => void) => Promise<Became>;
  readonly #running = new Set<Promise<void>>();
  #isRung = false;
  #isClaiming = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  /** `drain` never rejects. It calls `claimed` when its claim is answered. */
  constructor(drains: number, drain: (claimed: (mayFindMore: boolean) => void) => Promise<Became>) {
    this.#drains = drains;
    this.#drain = drain;
  }

  ring(): void {
    this.#isRung = true;
    this.#start();
  }

  /** Claims nothing more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Stops, and waits for the running drains. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#running);
  }

  #start(): void {
    if (this.#isStopped || !this.#isRung || this.#isClaiming || this.#running.size >= this.#drains) return;
    this.#isRung = false;
    const running = this.#run().finally(() => {
      this.#running.delete(running);
      this.#start();
    });
    this.#running.add(running);
  }

  async #run(): Promise<void> {
    this.#isClaiming = true;
    let isAnswered = false;
    const answered = () => {
      if (!isAnswered) this.#isClaiming = false;
      isAnswered = true;
    };
    const became = await this.#drain((mayFindMore) => {
      answered();
      if (mayFindMore) this.#isRung = true;
      this.#start();
    });
    answered();
    // More orders may wait in its lanes, whose bells found them locked.
    if (became === 'worked') this.#isRung = true;
    if (became === 'failed') this.#timer = setTimeout(() => this.ring(), FAILURE_PAUSE_MS);
  }
}
