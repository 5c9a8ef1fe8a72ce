import {
  acceptedOrder,
  type BatchOrder,
  batchOrderBody,
  batchOrderQuery,
  cancelBatchBody,
  cancelledBatch,
  checkInstances,
  checkSize,
  orderPreview,
  Refusal,
  success,
} from '@lockstep/contract';
import { previewBatch } from '@lockstep/orders';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authorize, callerOf } from '../caller.ts';
import { answers, nonceQuery, orderOperation } from '../openapi.ts';
import { ORDER_ROOT, type Server, type ServerOptions } from '../server.ts';

const PATH = '/licenseOrder/batchOrder';

/** O5 (interface.md O5; decisions 6.1 to 6.3), its preview and its cancel operation (decisions 6.6). */
export async function batchOrderRoutes(server: Server, options: ServerOptions): Promise<void> {
  const { db, verifier, acceptor, applier, canceller } = options;
  const onRequest = authorize(verifier, 'auth_order');
  /** What O5 and its preview take. */
  const batchSchema = { querystring: nonceQuery.extend(batchOrderQuery.shape), body: batchOrderBody };
  const preValidation = async (request: { body: unknown }) => checkSize(request.body);

  server.post(
    PATH,
    {
      schema: {
        ...orderOperation,
        ...batchSchema,
        operationId: 'createBatchOrder',
        summary: 'O5: create license orders in batch',
        response: answers(z.array(acceptedOrder)),
      },
      onRequest,
      preValidation,
    },
    async (request, reply) => {
      checkBatch(request);
      const { applicationId } = callerOf(request);
      const { channelCode, channelOrderId, syncMode } = request.body;
      const accepted =
        syncMode === 'sync'
          ? await applier.apply(applicationId, request.body)
          : await acceptor.accept(applicationId, request.body);
      const batch = new URLSearchParams({ channelCode, channelOrderId });
      reply.header('location', `${request.protocol}://${request.host}${ORDER_ROOT}${PATH}?${batch}`);
      return success(accepted);
    },
  );

  server.post(
    `${PATH}/preview`,
    {
      schema: {
        ...orderOperation,
        ...batchSchema,
        operationId: 'previewBatchOrder',
        summary: 'What each order of a batch would do now, changing nothing',
        response: answers(z.array(orderPreview)),
      },
      onRequest,
      preValidation,
    },
    async (request) => {
      checkBatch(request);
      return success(await previewBatch(db, request.body));
    },
  );

  server.post(
    `${PATH}/cancel`,
    {
      schema: {
        ...orderOperation,
        operationId: 'cancelBatchOrder',
        summary: 'Cancel what is still pending of an async batch',
        querystring: nonceQuery,
        body: cancelBatchBody,
        response: answers(cancelledBatch),
      },
      onRequest,
    },
    async (request) => {
      const { applicationId } = callerOf(request);
      return success(await canceller.cancel(applicationId, request.body));
    },
  );
}

/** What O5 and its preview refuse beside the shape of the call: app_key_mismatch, batch_too_large. */
function checkBatch(request: FastifyRequest & { query: { appKey: string }; body: BatchOrder }): void {
  if (request.query.appKey !== callerOf(request).appKey) throw new Refusal('app_key_mismatch');
  checkInstances(request.body.orderList);
}
