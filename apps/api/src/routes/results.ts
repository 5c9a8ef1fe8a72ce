import { listRefusals } from '@lockstep/access';
import { type FailedOrders, Refusal, success } from '@lockstep/contract';
import {
  awaitEvents,
  buildSummary,
  listBatches,
  listOrders,
  readFailedOrders,
  readOrder,
  showListedOrder,
  showOrder,
} from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { answerLong, changeInTurn } from '../calls/turns.ts';
import type { Services } from '../services.ts';

/**
 * Handlers for the results of batches and orders, failed orders and cancelling (rules 6.4, 6.6 and 6.7), lists and the
 * event feed (rules 6.7 and 6.8).
 */
export function resultHandlers(options: Services) {
  const { results, reads, eventWatch } = options;
  return {
    getBatchResult: async (request, { applicationId }, reply) => {
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      reply.type('application/json; charset=utf-8');
      return await results.read(applicationId, request.query, request.deadline);
    },

    getOrderResult: async (request, caller) => {
      const { licenseOrderId } = request.params;
      noteSubject(request, { licenseOrderIds: [licenseOrderId] });
      const row = await readOrder(request.db, caller, licenseOrderId);
      if (row === undefined) throw new Refusal('order_not_found', licenseOrderId);
      return success(showOrder(row));
    },

    listBatches: async (request, caller) => {
      noteSubject(request, { channelCode: request.query.channelCode });
      const list = () => listBatches(request.db, caller, request.query, buildSummary);
      return success(await reads.run(caller.applicationId, request.deadline.signal, list));
    },

    listOrders: async (request, caller) => {
      noteSubject(request, { channelCode: request.query.channelCode });
      const list = () => listOrders(request.db, caller, request.query, showListedOrder);
      return success(await reads.run(caller.applicationId, request.deadline.signal, list));
    },

    listRefusals: async (request, caller) => {
      const list = () => listRefusals(request.db, caller, request.query);
      return success(await reads.run(caller.applicationId, request.deadline.signal, list));
    },

    getFailedOrders: async (request, { applicationId }, reply) => {
      const { db, query } = request;
      const { channelCode, channelOrderId } = query;
      noteSubject(request, { channelCode, channelOrderId });
      return await answerLong(options, applicationId, request, reply, async () => {
        const { syncMode, orders } = await readFailedOrders(db, applicationId, query);
        const empty: FailedOrders = { channelCode, syncMode, orderList: [] };
        return `${JSON.stringify(success(empty)).slice(0, -']}}'.length)}${orders.join(',')}]}}`;
      });
    },

    getEvents: async (request, { applicationId }) => {
      const { signal } = request.deadline;
      return success(await awaitEvents(request.db, eventWatch, applicationId, request.query, signal));
    },

    cancelBatchOrder: async (request, { applicationId }) => {
      const { channelCode, channelOrderId } = request.body;
      noteSubject(request, { channelCode, channelOrderId });
      const cancel = (db: Database) => options.cancel(db, applicationId, request.body);
      return success(await changeInTurn(options, applicationId, request, cancel));
    },
  } satisfies OrderHandlers;
}
