import { type CancelBatch, type CancelledBatch, Refusal } from '@lockstep/contract';
import { type Database, Group, inTransaction, type Logger, type Metrics, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { failed, recordOutcomes } from './apply.ts';
import { notifyProgress } from './batch-watch.ts';
import { finishChunks, inAcceptanceOrder, lockLanes, readPendingOf } from './lane-chunks.ts';

interface CancelCall extends CancelBatch {
  applicationId: string;
}

/** Transactions of cancel calls that run at once in a process; each may wait for the drains of its batch's lanes. */
export const CANCELS_AT_ONCE = 1;

/** Cancels what is still pending of batches (decisions 6.6). */
export class BatchCanceller {
  readonly #lanesDb: Database;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #calls: Group<CancelCall, CancelledBatch & { batchId: string }>;

  /** `lanesDb`: connections for what waits for lanes. */
  constructor({ lanesDb, log, metrics }: { lanesDb: Database; log: Logger; metrics: Metrics }) {
    this.#lanesDb = lanesDb;
    this.#log = log;
    this.#metrics = metrics;
    this.#calls = new Group({
      run: async (calls) => await Promise.all(calls.map((call) => cancel(lanesDb, call))),
      maxRunning: CANCELS_AT_ONCE,
      maxInputs: 1,
    });
  }

  /**
   * Ends all pending orders of a batch in one step as failed with cause cancelled. It waits for the drains of the
   * batch's lanes that run, so an order either takes effect or is cancelled. Again, or on a sync batch, it finds nothing
   * to cancel.
   *
   * Throws a Refusal: batch_not_found, for another application's batch too.
   */
  async cancel(applicationId: string, request: CancelBatch): Promise<CancelledBatch> {
    const { batchId, cancelled, finished } = await this.#calls.run({ applicationId, ...request });
    if (cancelled > 0) {
      this.#metrics.ordersApplied.inc({ outcome: 'cancelled' }, cancelled);
      notifyProgress(this.#lanesDb, [batchId]).catch((error: unknown) =>
        this.#log.warn({ err: error }, 'could not notify'),
      );
    }
    return { cancelled, finished };
  }
}

function cancel(
  db: Database,
  { applicationId, ...request }: CancelCall,
): Promise<CancelledBatch & { batchId: string }> {
  return inTransaction(db, async (trx) => {
    const { id, total } = await findBatch(trx, applicationId, request);
    await lockLanes(trx, await pendingLanes(trx, id));
    const chunks = await readPendingOf(trx, id);
    const outcomes = inAcceptanceOrder(chunks).map((accepted) => failed(accepted, new Refusal('cancelled')));
    await together([recordOutcomes(trx, outcomes), finishChunks(trx, chunks, outcomes)]);
    return { batchId: id, cancelled: outcomes.length, finished: total - outcomes.length };
  });
}

async function findBatch(trx: Trx, applicationId: string, { channelCode, channelOrderId }: CancelBatch) {
  const batch = await trx
    .selectFrom('batch')
    .select(['id', sql<number>`cardinality(sequences)`.as('total')])
    .where('application_id', '=', applicationId)
    .where('channel_code', '=', channelCode)
    .where('channel_order_id', '=', channelOrderId)
    .executeTakeFirst();
  if (batch === undefined) throw new Refusal('batch_not_found', channelOrderId, channelCode);
  return batch;
}

async function pendingLanes(trx: Trx, batchId: string): Promise<number[]> {
  const rows = await trx
    .selectFrom('lane_chunk')
    .select('lane')
    .where('batch_id', '=', batchId)
    .where('finished_time', 'is', null)
    .execute();
  return rows.map(({ lane }) => lane);
}
