import { OVERVIEW_SPANS, type Overview, OverviewSpan } from '@lockstep/contract/console';
import { type ChannelReader, WORKER_NAME } from '@lockstep/orders';
import {
  findOldestPending,
  pickDelayed,
  readActivity,
  readFailureCauses,
  readStuck,
  readWaitingWork,
} from '@lockstep/orders/operator';
import {
  type Aged,
  type Database,
  Deadline,
  type QueueView,
  readCleanUpBehind,
  readSessions,
  within,
} from '@lockstep/platform';
import { readWebhookTroubles } from '@lockstep/webhooks/operator';
import { type HealthFacts, judgeHealth } from './health-rules.ts';
import { SharedReading } from './shared-reading.ts';

/** How long a reading may take: it holds one connection. */
const READING_TIMEOUT_MS = 5_000;
const MIN_KEPT_MS = 1_000;

/** Where and how an overview is read. */
interface ReaderOptions {
  db: Database;
  queueView: QueueView;
  isQueueReachable: () => Promise<boolean>;
  channels: ChannelReader;
  /** What workers delete because of its age. */
  aged: readonly Aged[];
}

/**
 * Reads how the service does. However many operators look, a process reads it once a second at most, and less often
 * where that takes long; each reading holds one connection of the pool.
 */
export class OverviewReader {
  readonly #activity: Record<OverviewSpan, SharedReading<ActivityPart>>;
  readonly #channels: ChannelReader;
  readonly #state: SharedReading<StatePart>;

  constructor(options: ReaderOptions) {
    const sharing = <Part>(read: (db: Database) => Promise<Part>) =>
      new SharedReading(() => onOneConnection(options.db, read), MIN_KEPT_MS);
    this.#activity = Object.fromEntries(
      OverviewSpan.options.map((span) => [span, sharing((db) => readActivityPart(db, span))]),
    ) as Record<OverviewSpan, SharedReading<ActivityPart>>;
    this.#channels = options.channels;
    this.#state = new SharedReading(() => readStatePart(options), MIN_KEPT_MS);
  }

  /** What the service did in a span of time, what waits, and what is not well. Throws what the database throws. */
  async read(span: OverviewSpan): Promise<Omit<Overview, 'demo'>> {
    const [{ time, now, pieces, failures }, channels, { oldest, webhooks, checks }] = await Promise.all([
      this.#activity[span].get(),
      this.#channels.read(),
      this.#state.get(),
    ]);
    const { pieceSeconds } = OVERVIEW_SPANS[span];
    const backlog = { pendingOrders: channels.reduce((sum, { pending }) => sum + pending, 0), oldest };
    return { time, now, pieces, pieceSeconds, failures, backlog, delayed: pickDelayed(channels), webhooks, checks };
  }
}

type ActivityPart = Pick<Overview, 'time' | 'now' | 'pieces' | 'failures'>;
type StatePart = Pick<Overview, 'webhooks' | 'checks'> & { oldest: Overview['backlog']['oldest'] };

async function readActivityPart(db: Database, span: OverviewSpan): Promise<ActivityPart> {
  const { seconds, pieceSeconds } = OVERVIEW_SPANS[span];
  const activity = await readActivity(db, { seconds, pieceSeconds });
  return { ...activity, failures: await readFailureCauses(db, seconds) };
}

async function readStatePart(options: ReaderOptions): Promise<StatePart> {
  const [queue, stored] = await Promise.all([
    readQueue(options),
    onOneConnection(options.db, (db) => readStored(db, options.aged)),
  ]);
  const { oldest, webhooks, ...facts } = stored;
  const { active, disabled, troubled, ...troubles } = webhooks;
  const checks = judgeHealth({
    ...facts,
    queue,
    oldestPendingTime: oldest?.acceptedTime ?? null,
    webhooks: { ...troubles, disabled },
  });
  return { oldest, webhooks: { active, disabled, troubled }, checks };
}

/** What of the state the database knows. */
async function readStored(db: Database, aged: readonly Aged[]) {
  const { time, ...sessions } = await readSessions(db, WORKER_NAME);
  const oldest = await findOldestPending(db);
  const work = await readWaitingWork(db);
  const stuck = await readStuck(db);
  const webhooks = await readWebhookTroubles(db);
  const cleanUp = await readCleanUpBehind(db, aged);
  return { time, sessions, oldest, work, stuck, webhooks, cleanUp };
}

async function readQueue({ queueView, isQueueReachable }: ReaderOptions): Promise<HealthFacts['queue']> {
  return { kind: queueView.kind, isReachable: await isQueueReachable() };
}

async function onOneConnection<Part>(db: Database, read: (db: Database) => Promise<Part>): Promise<Part> {
  const deadline = new Deadline(READING_TIMEOUT_MS);
  try {
    return await within(db, deadline).connection().execute(read);
  } finally {
    deadline.end();
  }
}
