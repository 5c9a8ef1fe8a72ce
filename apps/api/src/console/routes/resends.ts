import { splitOrderId } from '@lockstep/assets';
import { buildMessage, Refusal, requireChannel } from '@lockstep/contract';
import { ConsoleRefusal, MAX_RESEND_BYTES, type ResendBody } from '@lockstep/contract/console';
import { type Operator, recordChange, recordResend, type SentOrders } from '@lockstep/operators';
import { comparePreview, readFailedOrders } from '@lockstep/orders';
import type { OperatorBatch, Resent } from '@lockstep/orders/operator';
import type { Database } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import type { BatchReader, ReadBatch } from '../../calls/bodies.ts';
import { acceptTraced } from '../../calls/spans.ts';
import type { Services } from '../../services.ts';
import { compareWithFailed } from '../difference.ts';
import { countHidden, hidePasswords, putBackHidden } from '../hidden-passwords.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { findResent } from '../traces.ts';
import { partyOf } from '../who-acts.ts';
import { findNamedBatch } from './batches.ts';

/** Handlers to fix and resend the failed orders of a batch on behalf of its application. */
export function resendHandlers(options: Services) {
  const { db, acceptor, batches, reads } = options;
  return {
    getOrdersToResend: async (request, operator) => {
      const batch = await findNamedBatch(request, operator);
      const { licenseOrderIds, cause } = request.query;
      const { orders, failures } = await readFailed(request.db, batch);
      const resent = await findResent(request.db, [request.params.batchId]);
      const isWanted = (failure: (typeof failures)[number]) =>
        licenseOrderIds === undefined
          ? [undefined, failure.cause].includes(cause) &&
            !resent.some((each) => each.licenseOrderId === failure.licenseOrderId)
          : licenseOrderIds.includes(failure.licenseOrderId);
      const orderList = hidePasswords(orders.filter((_, place) => isWanted(failures[place]!)));
      if (licenseOrderIds !== undefined && orderList.length === 0) {
        throw new ConsoleRefusal('not_found', 'failed_order', licenseOrderIds[0]!);
      }
      const { channelCode, channelOrderId, syncMode } = batch.shown;
      const sequences = orderList.map((order) => (order as { sequence: number }).sequence);
      return {
        channelCode,
        syncMode,
        orderList,
        failures: failures.filter(isWanted).map(({ cause, args }, place) => {
          return { sequence: sequences[place]!, cause, message: buildMessage(cause, ...args), args };
        }),
        channelOrderId: nameRetry(channelOrderId, licenseOrderIds && sequences, new Set(resent.map(madeBatch)).size),
        hiddenPasswords: countHidden(orderList),
      };
    },

    checkResend: async (request, operator) => {
      const batch = await findNamedBatch(request, operator);
      const { prepared, orders } = await readResend(request, operator, batch, batches, true);
      const { previews } = await reads.run(partyOf(operator), request.deadline.signal, () =>
        comparePreview(request.db, prepared, orders, batch.channels),
      );
      return { orders: previews };
    },

    resendOrders: async (request, operator) => {
      const batch = await findNamedBatch(request, operator);
      const { prepared, failed } = await readResend(request, operator, batch, batches, false);
      const { channelOrderId, sequences } = prepared;
      const { batchId: target, channelOrderId: number } = batch.shown;
      const sent: SentOrders = {
        orders: sequences.length,
        digest: prepared.digest.toString('hex'),
        difference: compareWithFailed(prepared, failed),
      };
      const asked = { channelOrderId, ...sent };
      await recordChange(request.db, operator, { action: 'batch.resend_asked', target, after: asked });
      const accepted = await acceptTraced(request, (call) =>
        acceptor.accept({ ...prepared, ...call }, request.deadline),
      );
      const { batchId } = splitOrderId(accepted[0]!.licenseOrderId);
      await recordResend(db, operator, {
        from: { batchId: target, channelOrderId: number },
        made: { batchId, channelOrderId },
        sent,
      });
      return { batchId, channelOrderId, orders: accepted.length };
    },
  } satisfies ConsoleHandlers;
}

/**
 * Reads the contents of the failed orders of a batch. Throws a ConsoleRefusal: batch_not_completed, nothing_failed,
 * too_large_to_edit; a Refusal: content_expired.
 */
async function readFailed(db: Database, { applicationId, shown }: OperatorBatch) {
  const { channelOrderId, state, pending } = shown;
  if (state !== 'completed') throw new ConsoleRefusal('batch_not_completed', channelOrderId, String(pending));
  const { orders, failures } = await readFailedOrders(db, applicationId, shown);
  if (orders.length === 0) throw new ConsoleRefusal('nothing_failed', channelOrderId);
  const bytes = orders.reduce((sum, order) => sum + Buffer.byteLength(order), 0);
  if (bytes > MAX_RESEND_BYTES) {
    throw new ConsoleRefusal('too_large_to_edit', String(bytes), String(MAX_RESEND_BYTES));
  }
  return { orders: orders.map((order) => JSON.parse(order) as unknown), failures };
}

/**
 * Reads the orders that an operator sends in place of failed ones, as a batch of the application, which must still be
 * allowed to send it. Returns the failed orders too.
 *
 * Throws the Refusals of O5, and field_invalid if a hidden password cannot be restored; a ConsoleRefusal:
 * channels_missing, if an operator who is limited to channels sends a transfer.
 */
async function readResend(
  request: Pick<FastifyRequest<{ Body: ResendBody }>, 'db' | 'deadline' | 'body'>,
  operator: Operator,
  batch: OperatorBatch,
  batches: BatchReader,
  isPreview: boolean,
): Promise<ReadBatch & { failed: unknown[] }> {
  const { channelCode, syncMode } = batch.shown;
  const { channelOrderId, orderList } = request.body;
  if (!batch.isApproved) throw new Refusal('application_not_approved');
  requireChannel(batch.channels, channelCode);
  const { orders: failed } = await readFailed(request.db, batch);
  const lost = putBackHidden(orderList, failed);
  if (lost[0] !== undefined) throw new Refusal('field_invalid', lost[0], 'hidden');
  const bytes = Buffer.from(JSON.stringify({ channelCode, channelOrderId, syncMode, orderList }));
  // A transfer may take an asset from any channel that the application uses.
  const isTransfer = bytes.includes('"transferedAssetNum":true');
  if (operator.channels !== null && isTransfer) throw new ConsoleRefusal('channels_missing');
  return { ...(await batches.read(batch, bytes, isPreview, request)), failed };
}

/**
 * Returns the same channelOrderId as the command for a resent batch. For a single chosen order, its sequence makes the
 * number unique; after other resends, how many batches there are.
 */
function nameRetry(channelOrderId: string, chosen: readonly number[] | undefined, made: number): string {
  if (chosen?.length === 1) return `${channelOrderId}-retry-${chosen[0]}`;
  return `${channelOrderId}-retry${made === 0 ? '' : made + 1}`;
}

const madeBatch = ({ resentAs }: Resent) => resentAs.batchId;
