import {
  acceptedOrder,
  batchOrderBody,
  batchOrderQuery,
  checkInstances,
  checkSize,
  Refusal,
  success,
} from '@lockstep/contract';
import { z } from 'zod';
import { authorize, callerOf } from '../caller.ts';
import { answers, nonceQuery, orderOperation } from '../openapi.ts';
import { ORDER_ROOT, type Server, type ServerOptions } from '../server.ts';

const PATH = '/licenseOrder/batchOrder';

/** O5: batch create license orders (interface.md O5; decisions 6.1 and 6.2). */
export async function batchOrderRoutes(server: Server, { verifier, acceptor }: ServerOptions): Promise<void> {
  server.post(
    PATH,
    {
      schema: {
        ...orderOperation,
        operationId: 'createBatchOrder',
        summary: 'O5: create license orders in batch',
        querystring: nonceQuery.extend(batchOrderQuery.shape),
        body: batchOrderBody,
        response: answers(z.array(acceptedOrder)),
      },
      onRequest: authorize(verifier, 'auth_order'),
      preValidation: async (request) => checkSize(request.body),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { channelCode, channelOrderId, syncMode } = request.body;
      if (request.query.appKey !== caller.appKey) throw new Refusal('app_key_mismatch');
      if (syncMode === 'sync') throw new Refusal('sync_mode_unavailable');
      checkInstances(request.body.orderList);
      const accepted = await acceptor.accept(caller.applicationId, request.body);
      const batch = new URLSearchParams({ channelCode, channelOrderId });
      reply.header('location', `${request.protocol}://${request.host}${ORDER_ROOT}${PATH}?${batch}`);
      return success(accepted);
    },
  );
}
