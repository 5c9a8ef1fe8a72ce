import type { BatchId } from '@lockstep/contract';
import { type Database, inTransaction } from '@lockstep/platform';
import { recordChange } from './audit-log.ts';
import type { Actor } from './operator.ts';

/** How many resends of a batch to read at most: the newest. */
const MAX_RESENDS = 20;

/** A batch with its channelOrderId. */
export interface SentBatch {
  batchId: BatchId;
  channelOrderId: string;
}

/** What was sent in place of failed orders, without passwords. */
export interface SentOrders {
  orders: number;
  /** The batch's stored digest (rules 6.1 Idempotency), in hexadecimal. */
  digest: string;
  /** The differences from the failed orders, bounded in size. */
  difference: unknown;
}

/** A batch that an operator created from another one's failed orders. */
export interface Resend extends SentBatch {
  /** The operator's name; null for the `lockstep` command. */
  operator: string | null;
  /** When it was sent, in milliseconds. */
  time: number;
}

/** Adds to the audit log that an operator resent failed orders, with an entry for each of the two batches. */
export async function recordResend(
  db: Database,
  actor: Actor,
  { from, made, sent }: { from: SentBatch; made: SentBatch; sent: SentOrders },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { batchId: target } = from;
    await recordChange(trx, actor, { action: 'batch.resent', target, after: { ...made, ...sent } });
    await recordChange(trx, actor, { action: 'batch.made', target: made.batchId, after: from });
  });
}

/** Reads the batches that were created from a batch's failed orders, newest first, and the batch it came from. */
export async function readResends(
  db: Database,
  batchId: BatchId,
): Promise<{ resends: Resend[]; resentFrom: SentBatch | null }> {
  const entries = (action: string) =>
    db
      .selectFrom('operator_audit as entry')
      .leftJoin('operator', 'operator.id', 'entry.operator_id')
      .select(['entry.after', 'entry.recorded_time', 'operator.name'])
      .where('entry.target', '=', batchId)
      .where('entry.action', '=', action)
      .orderBy('entry.id', 'desc');
  const sent = await entries('batch.resent').limit(MAX_RESENDS).execute();
  const made = await entries('batch.made').limit(1).executeTakeFirst();
  // A batch that was sent twice, as by a double click, is listed once, with its earlier entry.
  const resends = new Map<BatchId, Resend>();
  for (const { after, name, recorded_time } of sent) {
    const batch = pickBatch(after);
    resends.set(batch.batchId, { ...batch, operator: name, time: recorded_time.getTime() });
  }
  return { resends: [...resends.values()], resentFrom: made === undefined ? null : pickBatch(made.after) };
}

function pickBatch(after: unknown): SentBatch {
  const { batchId, channelOrderId } = after as SentBatch;
  return { batchId, channelOrderId };
}
