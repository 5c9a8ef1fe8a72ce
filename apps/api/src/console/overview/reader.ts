import {
  type HealthCheckId,
  type OrderCounts,
  OVERVIEW_SPANS,
  type Overview,
  OverviewSpan,
} from '@lockstep/contract/console';
import { OPERATOR } from '@lockstep/contract/operator';
import type { Operator } from '@lockstep/operators';
import { type ChannelReader, type ChannelState, type Job, WORKER_NAME } from '@lockstep/orders';
import {
  findOldestPending,
  pickDelayed,
  readActivity,
  readFailureCauses,
  readHoldsAndStalls,
  readWaitingWork,
} from '@lockstep/orders/operator';
import {
  type Aged,
  type Database,
  Deadline,
  type JobQueue,
  readCleanupBehind,
  share,
  within,
} from '@lockstep/platform';
import { readWebhookFaults } from '@lockstep/webhooks/operator';
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
  channels: ChannelReader;
  /** The data that workers delete after its retention period. */
  aged: readonly Aged[];
}

/**
 * Reads the overview. However many operators look, a process reads it at most once a second, and less often if a
 * reading takes long. Each reading uses one connection of the pool.
 */
export class OverviewReader {
  readonly #activity: Record<OverviewSpan, () => Promise<ActivityPart>>;
  readonly #channels: ChannelReader;
  readonly #db: Database;
  readonly #state: () => Promise<StatePart>;

  constructor(options: ReaderOptions) {
    this.#activity = Object.fromEntries(
      OverviewSpan.options.map((span) => [
        span,
        share(() => onOneConnection(options.db, (db) => readActivityPart(db, span))),
      ]),
    ) as Record<OverviewSpan, () => Promise<ActivityPart>>;
    this.#channels = options.channels;
    this.#db = options.db;
    this.#state = share(() => readStatePart(options));
  }

  /** Returns the activity of a span of time, the backlog, and the health checks. Throws what the database throws. */
  async read(operator: Operator, span: OverviewSpan): Promise<Omit<Overview, 'demo'>> {
    const [{ time, now, intervals, failures }, channels, { oldest, webhooks, checks }] = await Promise.all([
      this.#activity[span](),
      this.#channels.read(operator),
      this.#state(),
    ]);
    const { intervalSeconds } = OVERVIEW_SPANS[span];
    const backlog = { pendingOrders: channels.reduce((sum, { pending }) => sum + pending, 0), oldest };
    const delayed = pickDelayed(channels);
    const overview = { time, now, intervals, intervalSeconds, failures, backlog, delayed, webhooks, checks };
    return operator.channels === null ? overview : await this.#limit(operator, overview, channels);
  }

  /** Limits an overview to the channels of an operator. What is counted for all channels together is left out. */
  async #limit<All extends Omit<Overview, 'demo'>>(
    operator: Operator,
    overview: All,
    channels: readonly ChannelState[],
  ): Promise<All> {
    const { oldest, webhooks } = await onOneConnection(this.#db, async (db) => ({
      oldest: await findOldestPending(db, operator),
      webhooks: await readWebhookFaults(db, operator),
    }));
    const perSecond = (of: keyof OrderCounts) => channels.reduce((sum, channel) => sum + channel.perSecond[of], 0);
    const { active, disabled, unhealthy } = webhooks;
    return {
      ...overview,
      now: {
        accepted: perSecond('accepted'),
        succeeded: perSecond('succeeded'),
        failed: perSecond('failed'),
        seconds: 1,
      },
      intervals: [],
      failures: [],
      backlog: { ...overview.backlog, oldest },
      webhooks: { active, disabled, unhealthy },
      checks: overview.checks.filter(({ check }) => OF_SERVICE.has(check)),
    };
  }
}

type ActivityPart = Pick<Overview, 'time' | 'now' | 'intervals' | 'failures'>;
type StatePart = Pick<Overview, 'webhooks' | 'checks'> & { oldest: Overview['backlog']['oldest'] };

async function readActivityPart(db: Database, span: OverviewSpan): Promise<ActivityPart> {
  const { seconds, intervalSeconds } = OVERVIEW_SPANS[span];
  const activity = await readActivity(db, { seconds, intervalSeconds });
  return { ...activity, failures: await readFailureCauses(db, seconds) };
}

async function readStatePart(options: ReaderOptions): Promise<StatePart> {
  const [queue, stored] = await Promise.all([
    readQueue(options),
    onOneConnection(options.db, (db) => readStored(db, options.aged)),
  ]);
  const { oldest, webhooks, ...facts } = stored;
  const { active, disabled, unhealthy, ...failing } = webhooks;
  const checks = judgeHealth({
    ...facts,
    queue,
    oldestPendingTime: oldest?.acceptedTime ?? null,
    webhooks: { ...failing, disabled },
  });
  return { oldest, webhooks: { active, disabled, unhealthy }, checks };
}

/** Reads the part of the state that the database knows. */
async function readStored(db: Database, aged: readonly Aged[]) {
  const { time, ...sessions } = await readSessions(db, WORKER_NAME);
  const oldest = await findOldestPending(db, OPERATOR);
  const work = await readWaitingWork(db);
  const holdsAndStalls = await readHoldsAndStalls(db);
  const webhooks = await readWebhookFaults(db, OPERATOR);
  const cleanup = await readCleanupBehind(db, aged);
  return { time, sessions, oldest, work, holdsAndStalls, webhooks, cleanup };
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
