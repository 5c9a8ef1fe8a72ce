import type { ApplicationId } from '@lockstep/contract';
import type { Job } from '@lockstep/orders';
import type { Database, JobProducer, Logger } from '@lockstep/platform';
import { ActiveWebhooks } from './active-webhooks.ts';

/**
 * Wakes a worker when there is something to deliver, by a job: one at a time, for all that has come up meanwhile. Nobody
 * waits for it, because workers find for themselves within a second what a lost job was for.
 */
export class DeliveryAnnouncer {
  readonly #producer: JobProducer<Job>;
  readonly #log: Logger;
  readonly #active: ActiveWebhooks;
  #isWanted = false;
  #adding: Promise<void> | null = null;

  /** The producer stays the caller's, to close it after this. */
  constructor(options: { db: Database; producer: JobProducer<Job>; log: Logger }) {
    this.#producer = options.producer;
    this.#log = options.log;
    this.#active = new ActiveWebhooks(options.db);
  }

  /** Tells of new events of these applications. */
  eventsNumbered(applicationIds: Iterable<ApplicationId>): void {
    this.#active.haveAny(applicationIds).then(
      (haveAny) => haveAny && this.announce(),
      () => {},
    );
  }

  /** Tells that something is due. */
  announce(): void {
    this.#isWanted = true;
    this.#adding ??= this.#addAll();
  }

  /** Waits until everything that was announced is queued, or could not be queued. */
  async close(): Promise<void> {
    await this.#adding;
  }

  async #addAll(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#producer
        .add({ type: 'deliver', version: 1 })
        .catch((error: unknown) =>
          this.#log.debug({ err: error }, 'job could not be queued; workers look by themselves'),
        );
    }
    this.#adding = null;
  }
}
