import { BatchResult, BatchResultQuery, OrderResultParams, SingleOrderResult, success } from '@lockstep/contract';
import { awaitBatchResult, readOrderResult } from '@lockstep/orders';
import { authorize, callerOf } from '../caller.ts';
import { noteSubject } from '../calls.ts';
import { databaseOf } from '../deadlines.ts';
import { answers, nonceQuery, orderOperation } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';

/** For a call that may ask to be answered only after 30 seconds. */
const WAITING_TIMEOUT_MS = 40_000;

/** What became of batches and orders (decisions 6.4). */
export async function resultRoutes(server: Server, { db, verifier, watch }: ServerOptions): Promise<void> {
  server.get(
    '/licenseOrder/batchOrder',
    {
      schema: {
        ...orderOperation,
        operationId: 'getBatchResult',
        summary: 'The result of a batch',
        description:
          'Says what became of a batch, to the application that submitted it only: its totals, and a page ' +
          'of its orders. To follow a batch, ask with `waitSeconds=30` until `state` is `completed`; the ' +
          'answer comes as soon as it is.',
        querystring: nonceQuery.extend(BatchResultQuery.shape),
        response: answers(BatchResult),
      },
      onRequest: authorize(verifier, 'auth_order'),
      config: { timeoutMs: WAITING_TIMEOUT_MS },
    },
    async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { applicationId } = callerOf(request);
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      return success(await awaitBatchResult(databaseOf(request, db), watch, applicationId, request.query, gone.signal));
    },
  );

  server.get(
    '/licenseOrder/:licenseOrderId',
    {
      schema: {
        ...orderOperation,
        operationId: 'getOrderResult',
        summary: 'The result of an order',
        description: 'Says what became of one order, to the application that submitted it only.',
        querystring: nonceQuery,
        params: OrderResultParams,
        response: answers(SingleOrderResult),
      },
      onRequest: authorize(verifier, 'auth_order'),
    },
    async (request) => {
      const { applicationId } = callerOf(request);
      const { licenseOrderId } = request.params;
      noteSubject(request, { licenseOrderIds: [licenseOrderId] });
      return success(await readOrderResult(databaseOf(request, db), applicationId, licenseOrderId));
    },
  );
}
