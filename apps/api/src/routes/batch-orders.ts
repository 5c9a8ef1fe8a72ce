import type { Caller } from '@lockstep/access';
import { batchOf } from '@lockstep/assets';
import {
  type AcceptedOrder,
  acceptedOrder,
  BatchRefusal,
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
import { noteSubject, type Subject } from '../calls.ts';
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
      else {
        const batch = await batches.read(applicationId, bytes, { isPreview }).catch((error: unknown) => {
          if (error instanceof BatchRefusal) noteSubject(request, error.batchName);
          throw error;
        });
        const { channelCode, channelOrderId, sequences } = batch.prepared;
        noteSubject(request, { channelCode, channelOrderId, orders: sequences.length });
        read.set(request, batch);
      }
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
      const { channels } = checkSender(request, prepared);
      const { channelCode, channelOrderId, syncMode } = prepared;
      const submitted = { ...prepared, requestId: request.id };
      const accepted =
        syncMode === 'sync' ? await applier.apply(submitted, orders, channels) : await acceptor.accept(submitted);
      noteSubject(request, idsOf(accepted));
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
      const { channels } = checkSender(request, prepared);
      return success(await previewer.preview(prepared, orders, channels));
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
      const { channelCode, channelOrderId } = request.body;
      noteSubject(request, { channelCode, channelOrderId });
      return success(await canceller.cancel(applicationId, request.body));
    },
  );
}

/** Orders that the line of a call names one by one; of more, their batch leads to them. */
const MAX_NAMED_ORDERS = 20;

/** What the line of a call says of the orders that it was answered. */
function idsOf(accepted: readonly AcceptedOrder[]): Subject {
  const licenseOrderIds = accepted.slice(0, MAX_NAMED_ORDERS + 1).map(({ licenseOrderId }) => licenseOrderId);
  const { batchId } = batchOf(licenseOrderIds[0]!);
  return licenseOrderIds.length > MAX_NAMED_ORDERS ? { batchId } : { batchId, licenseOrderIds };
}

/**
 * The application that sends a batch, which is the one that its query names and may name the batch's channel. Throws a
 * Refusal: app_key_mismatch, channel_not_allowed.
 */
function checkSender(request: FastifyRequest & { query: { appKey: string } }, batch: { channelCode: string }): Caller {
  const caller = callerOf(request);
  if (request.query.appKey !== caller.appKey) throw new Refusal('app_key_mismatch');
  requireChannel(caller.channels, batch.channelCode);
  return caller;
}
