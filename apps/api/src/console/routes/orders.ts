import { readOrderEffects } from '@lockstep/assets/operator';
import type { LicenseOrderId } from '@lockstep/contract';
import { MAX_SHOWN_EFFECTS, MAX_SHOWN_ORDER_BYTES } from '@lockstep/contract/console';
import { readOwners } from '@lockstep/customers/operator';
import { type Operator, recordFailed, recordRetried } from '@lockstep/operators';
import {
  comparePreview,
  failPendingOrders,
  listOrders,
  prepareBatch,
  readOrder,
  retryFailedOrders,
} from '@lockstep/orders';
import {
  listHolds,
  listRetries,
  readAnyBatch,
  readOrderText,
  readStoredOrder,
  retryHeldOrder,
  showOrderDetail,
  showSentOrder,
} from '@lockstep/orders/operator';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import type { Services } from '../../services.ts';
import { hidePersonal } from '../hidden-fields.ts';
import { hidePasswords } from '../hidden-passwords.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { readPauses, traceOrders } from '../traces.ts';
import { partyOf } from '../who-acts.ts';

/** Handlers for orders of all applications: their results, contents and effects, and what they would do now. */
export function ordersHandlers({ reads }: Services) {
  return {
    listAllOrders: async (request, operator) => {
      const list = () => listOrders(request.db, operator, request.query, showSentOrder);
      const { orders, nextCursor } =
        request.query.assetNum === undefined
          ? await list()
          : await reads.run(partyOf(operator), request.deadline.signal, list);
      return { orders: await traceOrders(request.db, operator, orders), nextCursor };
    },

    getOrder: async (request, operator) => {
      const order = await findNamedOrder(request, operator);
      const owners = await readOwners(request.db, operator, [order.customerId]);
      const retries = await listRetries(request.db, order.licenseOrderId);
      const owner = owners.get(order.customerId) ?? null;
      const codes = order.state === 'pending' && owner !== null ? [owner.channelCode] : [];
      const [pause = null] = await readPauses(request.db, operator, { codes });
      const [traced] = await traceOrders(request.db, operator, [order]);
      return { ...traced!, retries, owner, pause };
    },

    getOrderContent: async (request, operator) => {
      const order = await findNamedOrder(request, operator);
      const stored = await readOrderText(request.db, order, MAX_SHOWN_ORDER_BYTES);
      if (stored.kind !== 'kept') return stored;
      const shown = hidePersonal(operator, hidePasswords(JSON.parse(stored.text) as object));
      return { kind: 'kept' as const, order: shown, bytes: stored.bytes };
    },

    getOrderEffects: async (request, operator) => {
      const { licenseOrderId, orderType, state } = await findNamedOrder(request, operator);
      if (state !== 'succeeded') return { assets: [], items: [], isCut: false };
      return await readOrderEffects(request.db, operator, { licenseOrderId, orderType, limit: MAX_SHOWN_EFFECTS });
    },

    listHolds: async (request, operator) => await listHolds(request.db, operator, request.query),

    failOrder: async (request, operator) => {
      const { licenseOrderId } = await findNamedOrder(request, operator);
      const { reason, later } = request.body;
      const { outcome, licenseOrderIds } = await failPendingOrders(request.db, {
        channels: operator.channels,
        licenseOrderIds: [licenseOrderId],
        later,
        record: (trx, failedIds) => recordFailed(trx, operator, { licenseOrderIds: failedIds, reason }),
        onNotCompleted: (error) => request.log.warn({ err: error }, 'batch completion failed; sweep will take over'),
      });
      return { outcome, licenseOrderIds: licenseOrderIds.slice(0, MAX_SHOWN_LATER), orders: licenseOrderIds.length };
    },

    retryOrder: async (request, operator) => {
      const { licenseOrderId } = await findNamedOrder(request, operator);
      const isDue = await retryHeldOrder(request.db, licenseOrderId, (trx) =>
        recordRetried(trx, operator, [licenseOrderId], { state: 'held' }),
      );
      if (isDue) return { isRetried: true };
      const { retried } = await retryFailedOrders(request.db, [licenseOrderId], (trx, backIds) =>
        recordRetried(trx, operator, backIds),
      );
      return { isRetried: retried > 0 };
    },

    previewOrder: async (request, operator) => {
      const order = await findNamedOrder(request, operator);
      const stored = await readOrderText(request.db, order, MAX_SHOWN_ORDER_BYTES);
      const batch = await readAnyBatch(request.db, operator, order.batchId);
      if (stored.kind !== 'kept' || batch === undefined) return null;
      const { channelCode, channelOrderId } = order;
      const orderList = [readStoredOrder(stored.text)];
      const sent = { channelCode, channelOrderId, syncMode: 'sync' as const, orderList };
      const prepared = prepareBatch(batch.applicationId, sent, new Map());
      const { previews } = await comparePreview(request.db, prepared, orderList, batch.channels);
      return previews[0] ?? null;
    },
  } satisfies ConsoleHandlers;
}

/** The most later orders in an answer. */
const MAX_SHOWN_LATER = 100;

/** A call about one order. */
type OrderCall = FastifyRequest<{ Params: { licenseOrderId: LicenseOrderId } }>;

/** Returns the order that a call names. Throws a ConsoleRefusal: not_found. */
async function findNamedOrder(request: OrderCall, operator: Operator): Promise<ReturnType<typeof showOrderDetail>> {
  const { licenseOrderId } = request.params;
  noteSubject(request, { licenseOrderIds: [licenseOrderId] });
  return showOrderDetail(existing('order', licenseOrderId, await readOrder(request.db, operator, licenseOrderId)));
}
