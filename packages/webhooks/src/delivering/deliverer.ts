import { setTimeout as delay } from 'node:timers/promises';
import type { ApplicationId } from '@lockstep/contract';
import {
  type Closable,
  type Database,
  endSpan,
  isTransient,
  type Logger,
  SpanKind,
  share,
  startSpan,
  traceparentOf,
} from '@lockstep/platform';
import { sql } from 'kysely';
import { buildMessage } from '../sending/messages.ts';
import type { Sender, SendOutcome } from '../sending/sender.ts';
import { type Attempted, giveBack, type Recorded, recordAttempts } from './attempts.ts';
import { CLAIM_SECONDS, type Claim, claimDeliveries } from './claim.ts';
import type { WebhookMetrics } from './state.ts';

/** How often a worker polls for due messages: retries, and those whose wake-up was lost. */
const LOOK_EVERY_MS = 1_000;
/** The minimum time between two rounds, so that attempts that finish meanwhile share the next one. */
const GATHER_MS = 10;
/** How soon a worker tries again to record attempts whose webhook is locked. */
const BUSY_PAUSE_MS = 100;
/** How long messages in flight may take when the worker shuts down; then they are given back. */
const STOP_WITHIN_MS = 3_000;

interface Running {
  claim: Claim;
  /** Resolves when the attempt is over, whatever its outcome. */
  sent: Promise<void>;
}

/** A finished attempt to record. Without an outcome, its claim is given back. */
interface Ended {
  running: Running;
  outcome: SendOutcome | null;
  endedMs: number;
}

/**
 * Delivers messages to webhooks (rules 6.8), in rounds, when woken and once a second. Each round records the finished
 * attempts and claims what it may send at once, which it sends outside any transaction. If a worker dies, another one
 * resends its unrecorded messages after their claims have expired.
 */
export class WebhookDeliverer implements Closable {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: WebhookMetrics;
  readonly #sender: Sender;
  /** Reads which applications have active webhooks at most once a second, so that most batches cost nothing more. */
  readonly #readActive: () => Promise<ReadonlySet<ApplicationId>>;
  readonly #running = new Set<Running>();
  #ended: Ended[] = [];
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;
  #isWanted = false;
  #wakeUp = () => {};
  #isClosed = false;
  #hasLoggedFailure = false;
  constructor(options: { db: Database; log: Logger; metrics: WebhookMetrics; sender: Sender }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#sender = options.sender;
    this.#readActive = share(() => readApplicationIds(options.db));
    this.#looking = this.#lookUntilClosed();
  }

  eventsNumbered(applicationIds: Iterable<ApplicationId>): void {
    const ids = [...applicationIds];
    this.#readActive().then(
      (active) => ids.some((id) => active.has(id)) && this.#wake(),
      () => {},
    );
  }

  #wake(): void {
    this.#isWanted = true;
    this.#wakeUp();
  }

  /** Claims nothing more, and finishes messages in flight or gives them back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUp();
    await this.#looking;
    const timer = setTimeout(() => this.#stopping.abort(new Error('worker is shutting down')), STOP_WITHIN_MS);
    await Promise.all([...this.#running].map(({ sent }) => sent));
    clearTimeout(timer);
    const untilMs = performance.now() + STOP_WITHIN_MS;
    while (this.#ended.length > 0 && performance.now() < untilMs) {
      await this.#recordEnded();
      if (this.#ended.length > 0) await delay(BUSY_PAUSE_MS);
    }
  }

  async #lookUntilClosed(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWanted = false;
      await this.#recordEnded();
      const isOver = await this.#look();
      const endedMs = performance.now();
      if (isOver) await this.#pause(this.#ended.length > 0 ? BUSY_PAUSE_MS : LOOK_EVERY_MS);
      const gatherMs = endedMs + GATHER_MS - performance.now();
      if (gatherMs > 0 && !this.#isClosed) await delay(gatherMs);
    }
  }

  /** Returns whether there is nothing more to do now. */
  async #look(): Promise<boolean> {
    try {
      const running = [...this.#running].map(({ claim }) => claim);
      const { claims, more } = await claimDeliveries(this.#db, running);
      for (const claim of claims) this.#start(claim);
      this.#hasLoggedFailure = false;
      return !more;
    } catch (error) {
      if (!this.#hasLoggedFailure) this.#log.warn({ err: error }, 'webhook poll failed; will retry');
      this.#hasLoggedFailure = true;
      // Waits until the next poll, even if a wake-up is pending.
      this.#isWanted = false;
      return true;
    }
  }

  async #pause(forMs: number): Promise<void> {
    if (this.#isWanted || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, forMs);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = () => {};
  }

  #start(claim: Claim): void {
    const running: Running = { claim, sent: Promise.resolve() };
    this.#running.add(running);
    running.sent = this.#send(claim).then(
      (outcome) => {
        this.#ended.push({ running, outcome, endedMs: performance.now() });
        this.#wake();
      },
      (error: unknown) => this.#leave(running, error),
    );
  }

  /** Returns null if the worker shuts down before there is an outcome. */
  async #send({ url, told, secrets, webhookId, attempts, traceparent: given }: Claim): Promise<SendOutcome | null> {
    const { signal } = this.#stopping;
    // Not the path and the query, which may carry secrets of the endpoint.
    const http = { 'http.request.method': 'POST', 'server.address': new URL(url).hostname };
    const ids = { 'lockstep.webhook_id': webhookId, 'lockstep.message_id': told.id };
    const attributes = { ...http, ...ids, 'http.request.resend_count': attempts };
    const span = startSpan('delivery', { kind: SpanKind.CLIENT, parent: given, attributes });
    const traceparent = traceparentOf(span, given);
    const { body, headers } = buildMessage(told, secrets, new Date());
    try {
      const sent = { url, body, headers: { ...headers, ...(traceparent && { traceparent }) } };
      const outcome = await this.#sender.send(sent, signal);
      const { status, fault } = outcome;
      if (status !== null) span.setAttribute('http.response.status_code', status);
      endSpan(span, fault && String(status ?? 'no_response'));
      return outcome;
    } catch (error) {
      endSpan(span, error);
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Leaves a message to the worker that polls first after the claim has expired: it is sent again. */
  #leave(running: Running, error: unknown): void {
    this.#running.delete(running);
    const { webhookId, deliveryId } = running.claim;
    this.#log.warn({ err: error, webhookId, deliveryId }, 'webhook attempt not recorded; will resend');
  }

  /**
   * Records the finished attempts. Those that can't be recorded now are kept for the next round, as long as their claim
   * is valid.
   */
  async #recordEnded(): Promise<void> {
    const group = this.#ended.splice(0);
    if (group.length === 0) return;
    try {
      await this.#record(group);
    } catch (error) {
      if (isTransient(error)) return this.#keep(group, error);
      // The fault may lie with a single attempt, so records each one separately.
      for (const ended of group) await this.#record([ended]).catch((each) => this.#leave(ended.running, each));
    }
  }

  #keep(group: readonly Ended[], error: unknown): void {
    for (const ended of group) {
      if (performance.now() - ended.endedMs < CLAIM_SECONDS * 1_000) this.#ended.push(ended);
      else this.#leave(ended.running, error);
    }
  }

  async #record(group: readonly Ended[]): Promise<void> {
    const stopped = group.filter(({ outcome }) => outcome === null).map(({ running }) => running);
    if (stopped.length > 0)
      await giveBack(
        this.#db,
        stopped.map(({ claim }) => claim),
      );
    for (const running of stopped) this.#running.delete(running);
    const attempted = group.flatMap((ended) =>
      ended.outcome === null ? [] : [{ ended, claim: ended.running.claim, outcome: ended.outcome }],
    );
    if (attempted.length === 0) return;
    const recorded = await recordAttempts(this.#db, attempted);
    for (const [index, attempt] of attempted.entries()) {
      const { ended } = attempt;
      if (recorded[index]!.state === 'busy') this.#keep([ended], new Error('webhook is locked'));
      else {
        this.#running.delete(ended.running);
        this.#report(attempt, recorded[index]!);
      }
    }
  }

  #report({ claim, outcome }: Attempted, { state, disabledCause }: Recorded): void {
    const {
      webhookId,
      applicationId,
      told: { id: messageId },
    } = claim;
    const { status, fault, detail, durationMs, busyMs } = outcome;
    const labels = { outcome: fault === null ? 'delivered' : 'failed' };
    this.#metrics.attempts.inc(labels);
    this.#metrics.attemptSeconds.observe(labels, durationMs / 1_000);
    this.#metrics.busySeconds.inc(busyMs / 1_000);
    this.#log.debug({ webhookId, messageId, status, fault, detail, ms: durationMs, busyMs, state }, 'webhook attempt');
    if (disabledCause === null) return;
    this.#metrics.disabled.inc({ cause: disabledCause });
    this.#log.warn({ webhookId, applicationId, messageId, cause: disabledCause }, 'webhook disabled');
  }
}

async function readApplicationIds(db: Database): Promise<ReadonlySet<ApplicationId>> {
  const { rows } = await sql<{ application_id: ApplicationId }>`
    select distinct application_id from webhook where deleted_time is null and num_nonnulls(disabled_time, paused_time) = 0`.execute(
    db,
  );
  return new Set(rows.map(({ application_id }) => application_id));
}
