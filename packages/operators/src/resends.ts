import type { BatchId } from '@lockstep/contract';
import { type Database, inTransaction } from '@lockstep/platform';
import type { Actor } from './operator.ts';
import { recordChange } from './record.ts';

/** Resends of one batch that are looked at, at most: the newest. */
const MAX_RESENDS = 20;

/** A batch, and the number under which it was sent. */
export interface SentBatch {
  batchId: BatchId;
  channelOrderId: string;
}

/** What was sent in place of failed orders; never a password. */
export interface SentOrders {
  orders: number;
  /** Of the batch's content, as the batch keeps it (rules 6.1 Idempotency): hexadecimal. */
  digest: string;
  /** How it differs from what failed, bounded in size. */
  difference: unknown;
}

/** A batch that an operator made of failed orders of another one. */
export interface Resend extends SentBatch {
  /** The operator's name; null: the `lockstep` command. */
  operator: string | null;
  /** When it was sent, in milliseconds. */
  time: number;
}

/** Adds to the record that an operator sent failed orders again, so that each of the two batches leads to the other. */
export async function recordResend(
  db: Database,
  actor: Actor,
  { from, made, sent }: { from: SentBatch; made: SentBatch; sent: SentOrders },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { batchId: target } = from;
    await recordChange(trx, actor, { action: 'batch.resent', target, before: null, after: { ...made, ...sent } });
    await recordChange(trx, actor, { action: 'batch.made', target: made.batchId, before: null, after: from });
  });
}

/** Reads which batches were made of failed orders of a batch, newest first, and of which batch it was made itself. */
export async function readResends(
  db: Database,
  batchId: BatchId,
): Promise<{ resends: Resend[]; resentFrom: SentBatch | null }> {
  const entries = (action: string) =>
    db
      .selectFrom('operator_record as record')
      .leftJoin('operator', 'operator.id', 'record.operator_id')
      .select(['record.after', 'record.recorded_time', 'operator.name'])
      .where('record.target', '=', batchId)
      .where('record.action', '=', action)
      .orderBy('record.id', 'desc');
  const sent = await entries('batch.resent').limit(MAX_RESENDS).execute();
  const made = await entries('batch.made').limit(1).executeTakeFirst();
  // Sent twice, as by a double click, it is one batch: the earlier entry stands.
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
