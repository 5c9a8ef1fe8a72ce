import type { ApplicationId } from '@lockstep/contract';
import { type Closable, type Database, Group, type Logger } from '@lockstep/platform';
import { ActiveWebhooks } from './active-webhooks.ts';
import { type Claim, claimDeliveries } from './claim.ts';
import { messageIdOf } from './deliveries.ts';
import { buildMessage } from './messages.ts';
import type { WebhookMetrics } from './metrics.ts';
import { giveBack, recordAttempt } from './record.ts';
import type { Sender, SendOutcome } from './sender.ts';

/** How often a worker looks for what is due: attempts after a pause, and what a lost job was for. */
const LOOK_EVERY_MS = 1_000;
/** How long messages that are on their way may take when the worker stops; then they are given back. */
const STOP_WITHIN_MS = 3_000;

/** A message that is on its way. */
interface Running {
  claim: Claim;
  done: Promise<void>;
}

/** What came of a claim; without an outcome it is given back. */
interface Recording {
  claim: Claim;
  outcome: SendOutcome | null;
}

/**
 * Delivers messages to webhooks (rules 6.8): looks for what is due when woken and once a second, claims as much as it may
 * send at once, sends it outside of any transaction, and records what came of it. What it has not recorded when it dies is
 * sent again by whoever looks after the claim has ended.
 */
export class WebhookDeliverer implements Closable {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: WebhookMetrics;
  readonly #sender: Sender;
  readonly #active: ActiveWebhooks;
  readonly #running = new Set<Running>();
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;
  #isWanted = false;
  #wakeUp = () => {};
  #isClosed = false;
  #toldOfFailure = false;
  /** Records what came of attempts. */
  readonly #records: Group<Recording, void>;

  constructor(options: { db: Database; log: Logger; metrics: WebhookMetrics; sender: Sender }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#sender = options.sender;
    this.#active = new ActiveWebhooks(options.db);
    this.#records = new Group({
      run: async ([recording]) => [await this.#record(recording!)],
      maxInputs: 1,
      // Many attempts end at once, and drains need their connections.
      maxRunning: 2,
      // All of a webhook wait for its row, and so take one of the two places at most.
      needsOf: ({ claim }) => [claim.webhookId],
    });
    this.#looking = this.#lookUntilClosed();
  }

  /** Tells of new events of these applications. */
  eventsNumbered(applicationIds: Iterable<ApplicationId>): void {
    this.#active.haveAny(applicationIds).then(
      (haveAny) => haveAny && this.#wake(),
      () => {},
    );
  }

  /** Looks at once for what is due. */
  #wake(): void {
    this.#isWanted = true;
    this.#wakeUp();
  }

  /** Claims nothing more, and finishes what is on its way or gives it back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUp();
    await this.#looking;
    const timer = setTimeout(() => this.#stopping.abort(new Error('the worker stops')), STOP_WITHIN_MS);
    await Promise.all([...this.#running].map(({ done }) => done));
    clearTimeout(timer);
  }

  async #lookUntilClosed(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWanted = false;
      const isOver = await this.#look();
      if (isOver) await this.#pause();
    }
  }

  /** Returns whether nothing more is to be done now. */
  async #look(): Promise<boolean> {
    try {
      const running = [...this.#running].map(({ claim }) => claim);
      const { claims, more } = await claimDeliveries(this.#db, running);
      for (const claim of claims) this.#start(claim);
      this.#toldOfFailure = false;
      return !more;
    } catch (error) {
      if (!this.#toldOfFailure) this.#log.warn({ err: error }, 'webhooks could not be looked at; tries again');
      this.#toldOfFailure = true;
      // Not at once, whoever asks.
      this.#isWanted = false;
      return true;
    }
  }

  async #pause(): Promise<void> {
    if (this.#isWanted || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = () => {};
  }

  #start(claim: Claim): void {
    const running: Running = { claim, done: Promise.resolve() };
    running.done = this.#deliver(claim).finally(() => {
      this.#running.delete(running);
      this.#wake();
    });
    this.#running.add(running);
  }

  /** Makes one attempt and records it. It never rejects: what cannot be recorded is sent again when the claim ends. */
  async #deliver(claim: Claim): Promise<void> {
    try {
      const outcome = await this.#send(claim);
      await this.#records.run({ claim, outcome });
    } catch (error) {
      const { webhookId, deliveryId } = claim;
      this.#log.warn(
        { err: error, webhookId, deliveryId },
        'an attempt could not be recorded; the message is sent again',
      );
    }
  }

  /** Null when the worker stops before there is an outcome. */
  async #send(claim: Claim): Promise<SendOutcome | null> {
    const { signal } = this.#stopping;
    try {
      return await this.#sender.send(buildMessage(claim, new Date()), signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  async #record({ claim, outcome }: Recording): Promise<void> {
    if (outcome === null) return await giveBack(this.#db, [claim]);
    const { webhookId, applicationId, deliveryId, event } = claim;
    const { isRecorded, disabledCause } = await recordAttempt(this.#db, claim, outcome);
    const { status, fault, detail, durationMs, busyMs } = outcome;
    const messageId = messageIdOf({ id: deliveryId, position: event?.id ?? null });
    const labels = { outcome: fault === null ? 'delivered' : 'failed' };
    this.#metrics.attempts.inc(labels);
    this.#metrics.attemptSeconds.observe(labels, durationMs / 1_000);
    this.#metrics.busySeconds.inc(busyMs / 1_000);
    this.#log.debug(
      { webhookId, messageId, status, fault, detail, ms: durationMs, busyMs, isRecorded },
      'webhook attempt',
    );
    if (disabledCause === null) return;
    this.#metrics.disabled.inc({ cause: disabledCause });
    this.#log.warn({ webhookId, applicationId, messageId, cause: disabledCause }, 'webhook disabled');
  }
}
