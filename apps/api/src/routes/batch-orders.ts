import {
  acceptedOrder,
  batchOrderBody,
  batchOrderQuery,
  cancelBatchBody,
  cancelledBatch,
  MAX_BATCH_BYTES,
  orderPreview,
  parse,
  Refusal,
  requireChannel,
  success,
} from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BatchReader, ReadBatch } from '../batch-reader.ts';
import type { Bodies } from '../bodies.ts';
import { authorize, callerOf } from '../caller.ts';
import { answers, nonceQuery, orderOperation } from '../openapi.ts';
import { ORDER_ROOT, type Server, type ServerOptions } from '../server.ts';
import { checksAllButBody } from '../validation.ts';

const PATH = '/licenseOrder/batchOrder';

/** O5 (interface.md O5; decisions 6.1 to 6.3) and its preview (decisions 6.6). */
export async function batchOrderRoutes(
  server: Server,
  options: ServerOptions & { bodies: Bodies; batches: BatchReader },
): Promise<void> {
  const { verifier, acceptor, applier, previewer, bodies, batches, publicUrl } = options;
  bodies.readBytes(server);
  server.setValidatorCompiler(checksAllButBody);
  const onRequest = authorize(verifier, 'auth_order');
  const read = new WeakMap<FastifyRequest, ReadBatch>();

  const pathPrefix = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  /** Where the result of a batch is: a path, because whoever calls may write any host into the request (decisions 6.2). */
  const locationOf = (batch: { channelCode: string; channelOrderId: string }) =>
    // A + is a blank in forms only; %20 is one for every client.
    `${pathPrefix}${ORDER_ROOT}${PATH}?${new URLSearchParams(batch).toString().replaceAll('+', '%20')}`;

  /** O5 and its preview take the same body, which is checked where it does not hold up the event loop. */
  const readAs = ({ isPreview }: { isPreview: boolean }) => ({
    bodyLimit: MAX_BATCH_BYTES,
    onRequest,
    async preValidation(request: FastifyRequest) {
      const { applicationId } = callerOf(request);
      const bytes = request.body as Buffer | undefined;
      if (bytes === undefined) parse(batchOrderBody, bytes);
      else read.set(request, await batches.read(applicationId, bytes, { isPreview }));
    },
  });
  const schema = { ...orderOperation, querystring: nonceQuery.extend(batchOrderQuery.shape), body: batchOrderBody };

  server.post(
    PATH,
    {
      schema: {
        ...schema,
        operationId: 'createBatchOrder',
        summary: 'O5: create license orders in batch',
        response: answers(z.array(acceptedOrder)),
      },
      ...readAs({ isPreview: false }),
    },
    async (request, reply) => {
      const { prepared, orders } = read.get(request)!;
      checkSender(request, prepared);
      const { channelCode, channelOrderId, syncMode } = prepared;
      const accepted = syncMode === 'sync' ? await applier.apply(prepared, orders) : await acceptor.accept(prepared);
      reply.header('location', locationOf({ channelCode, channelOrderId }));
      return success(accepted);
    },
  );

  server.post(
    `${PATH}/preview`,
    {
      schema: {
        ...schema,
        operationId: 'previewBatchOrder',
        summary: 'What each order of a batch would do now, changing nothing',
        response: answers(z.array(orderPreview)),
      },
      ...readAs({ isPreview: true }),
    },
    async (request) => {
      const { prepared, orders } = read.get(request)!;
      checkSender(request, prepared);
      return success(await previewer.preview(prepared, orders));
    },
  );
}

/** The cancel operation (decisions 6.6). */
export async function cancelRoutes(server: Server, { verifier, canceller }: ServerOptions): Promise<void> {
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
      onRequest: authorize(verifier, 'auth_order'),
    },
    async (request) => {
      const { applicationId } = callerOf(request);
      return success(await canceller.cancel(applicationId, request.body));
    },
  );
}

/**
 * The application that sends a batch is the one that its query names, and may name the batch's channel. Throws a Refusal:
 * app_key_mismatch, channel_not_allowed.
 */
function checkSender(request: FastifyRequest & { query: { appKey: string } }, batch: { channelCode: string }): void {
  const { appKey, channels } = callerOf(request);
  if (request.query.appKey !== appKey) throw new Refusal('app_key_mismatch');
  requireChannel(channels, batch.channelCode);
}
