import {
  type HealthCheckId,
  type OrderCounts,
  OVERVIEW_SPANS,
  type Overview,
  OverviewSpan,
  type Problems,
} from '@lockstep/contract/console';
import { OPERATOR } from '@lockstep/contract/operator';
import type { Operator } from '@lockstep/operators';
import { type ChannelState, type Job, readChannels, WORKER_NAME } from '@lockstep/orders';
import {
  pickDelayed,
  pickVisible,
  readActivity,
  readFailedChannels,
  readFailureCauses,
  readHoldsAndStalls,
  readWaitingWork,
  sumBacklog,
} from '@lockstep/orders/operator';
import {
  type Aged,
  type Database,
  Deadline,
  inSnapshot,
  type JobQueue,
  readCleanupBehind,
  share,
  type Trx,
  within,
} from '@lockstep/platform';
import { readWebhookFaults, type WebhookFaults } from '@lockstep/webhooks/operator';
import { type HealthFacts, judgeHealth } from './health-rules.ts';
import { readSessions } from './sessions.ts';

/** How long a reading can take. It uses one connection. */
const READING_TIMEOUT_MS = 5_000;

/** The checks that say how the service is. The others count what is wrong in any channel. */
const OF_SERVICE = new Set<HealthCheckId>([
  'database',
  'workers',
  'queue',
  'events',
  'activity',
  'clean_up',
  'transactions',
  'connections',
]);

/** The dependencies of the reader. */
interface ReaderOptions {
  db: Database;
  queue: JobQueue<Job>;
  /** The data that workers delete after its retention period. */
  aged: readonly Aged[];
}

/**
 * Reads the overview. However many operators look, a process reads it at most once a second, and less often if a
 * reading takes long. Each reading uses one connection of the pool.
 */
export class OverviewReader {
  readonly #activity: Record<OverviewSpan, () => Promise<ActivityPart>>;
  readonly #db: Database;
  readonly #state: () => Promise<StatePart>;

  constructor(options: ReaderOptions) {
    this.#activity = Object.fromEntries(
      OverviewSpan.options.map((span) => [
        span,
        share(() => onOneConnection(options.db, (db) => readActivityPart(db, span))),
      ]),
    ) as Record<OverviewSpan, () => Promise<ActivityPart>>;
    this.#db = options.db;
    this.#state = share(() => readStatePart(options));
  }

  /** Returns the activity of a span of time, the backlog, and the health checks. Throws what the database throws. */
  async read(operator: Operator, span: OverviewSpan): Promise<Omit<Overview, 'demo'>> {
    const [activity, { channels, webhooks, ...state }] = await Promise.all([
      this.#activity[span](),
      this.#readState(operator),
    ]);
    const { intervalSeconds } = OVERVIEW_SPANS[span];
    const { active, disabled, unhealthy } = webhooks;
    const backlog = sumBacklog(channels);
    const overview = {
      ...activity,
      intervalSeconds,
      ...state,
      webhooks: { active, disabled, unhealthy },
      backlog,
      delayed: pickDelayed(channels),
    };
    if (operator.channels === null) return overview;
    // What is counted for all channels together is left out.
    const perSecond = (of: keyof OrderCounts) => channels.reduce((sum, channel) => sum + channel.perSecond[of], 0);
    const [accepted, succeeded, failed] = [perSecond('accepted'), perSecond('succeeded'), perSecond('failed')];
    return {
      ...overview,
      now: { accepted, succeeded, failed, seconds: 1 },
      intervals: [],
      failures: [],
      failedChannels: [],
    };
  }

  /** Returns how many things need attention, as the overview shows them. Throws what the database throws. */
  async count(operator: Operator): Promise<Problems> {
    const { channels, webhooks, checks } = await this.#readState(operator);
    const { holding, behind, paused } = pickDelayed(channels);
    return {
      checks: checks.filter(({ state }) => state !== 'ok').length,
      channels: holding + behind + paused,
      heldOrders: sumBacklog(channels).heldOrders,
      webhooks: webhooks.failing + webhooks.disabled,
    };
  }

  /** Reads the part of the state that an operator may see. */
  async #readState(operator: Operator): Promise<StatePart> {
    const state = await this.#state();
    if (operator.channels === null) return state;
    return {
      ...state,
      channels: pickVisible(state.channels, operator),
      webhooks: await onOneConnection(this.#db, (db) => readWebhookFaults(db, operator)),
      checks: state.checks.filter(({ check }) => OF_SERVICE.has(check)),
    };
  }
}

type ActivityPart = Pick<Overview, 'now' | 'intervals' | 'failures' | 'failedChannels'>;
type StatePart = Pick<Overview, 'time' | 'checks'> & { channels: readonly ChannelState[]; webhooks: WebhookFaults };

async function readActivityPart(db: Database, span: OverviewSpan): Promise<ActivityPart> {
  const length = OVERVIEW_SPANS[span];
  const failures = await readFailureCauses(db, length.seconds);
  const failedChannels = await readFailedChannels(db, length.seconds);
  return { ...(await readActivity(db, length)), failures, failedChannels };
}

async function readStatePart(options: ReaderOptions): Promise<StatePart> {
  const [queue, stored] = await Promise.all([
    readQueue(options),
    onOneConnection(options.db, (db) => readStored(db, options.aged)),
  ]);
  const { channels, webhooks, ...facts } = stored;
  const checks = judgeHealth({
    ...facts,
    queue,
    oldestPendingTime: sumBacklog(channels).oldest?.acceptedTime ?? null,
    webhooks,
  });
  return { time: facts.time, channels, webhooks, checks };
}

/** Reads the part of the state that the database knows. */
async function readStored(db: Database, aged: readonly Aged[]) {
  const { time, ...sessions } = await readSessions(db, WORKER_NAME);
  const backlog = await inSnapshot(db, readBacklog);
  const work = await readWaitingWork(db);
  const webhooks = await readWebhookFaults(db, OPERATOR);
  const cleanup = await readCleanupBehind(db, aged);
  // Which channels are behind is as of the time when they were read.
  return { ...backlog, time: backlog.channels[0]?.time ?? time, sessions, work, webhooks, cleanup };
}

/** Reads the backlog as of one moment, so that its figures agree. */
async function readBacklog(trx: Trx) {
  return { channels: await readChannels(trx), holdsAndStalls: await readHoldsAndStalls(trx) };
}

async function readQueue({ queue }: ReaderOptions): Promise<HealthFacts['queue']> {
  return { kind: queue.kind, isReachable: await queue.isReachable() };
}

async function onOneConnection<Part>(db: Database, read: (db: Database) => Promise<Part>): Promise<Part> {
  const deadline = new Deadline(READING_TIMEOUT_MS);
  try {
    return await within(db, deadline).connection().execute(read);
  } finally {
    deadline.end();
  }
}
