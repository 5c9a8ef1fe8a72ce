import type { Caller } from '@lockstep/access';
import { splitOrderId } from '@lockstep/assets';
import {
  AcceptedOrder,
  BatchOrder,
  BatchOrderQuery,
  BatchRefusal,
  CancelBatch,
  CancelledBatch,
  MAX_BATCH_BYTES,
  OrderPreview,
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
      if (bytes === undefined) parse(BatchOrder, bytes);
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
  const schema = { ...orderOperation, querystring: nonceQuery.extend(BatchOrderQuery.shape), body: BatchOrder };

  server.post(
    PATH,
    {
      schema: {
        ...schema,
        operationId: 'createBatchOrder',
        summary: 'O5: order in batches',
        description:
          'Takes 1 to 5,000 orders and 32 MiB, at most 10,000 elements in one list and 500,000 in all, and ' +
          'at most 200,000 instances to make or revoke (numbers times products and merchandise). The ' +
          'answer lists the id of each order; the ids are final. With `async` it means that the batch is ' +
          'stored and will be carried out, each order alone; with `sync` that all orders have taken ' +
          'effect. A batch is known by application, `channelCode` and `channelOrderId`: the same content ' +
          'again gets the same answer and changes nothing.',
        response: answers(z.array(AcceptedOrder).describe('One entry for each order, in the order of orderList.')),
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
        summary: 'Preview a batch',
        description:
          'Takes what O5 takes and says what each order would do if the batch ran now. The entries come in ' +
          'the order of `orderList`; what they say is found out by `sequence`, each order seeing what ' +
          'those before it would have done. It changes nothing, waits for nobody, and the `channelOrderId` ' +
          'stays free. It is no promise: what is pending already, or accepted meanwhile, takes effect ' +
          'first and is not looked at.',
        response: answers(z.array(OrderPreview).describe('One entry for each order, in the order of orderList.')),
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
        summary: 'Cancel a batch',
        description:
          'Ends every order of an async batch that is still pending, all in one step: they are `failed` ' +
          'with cause `cancelled`, and the batch is `completed`. An order that is just being carried out ' +
          'is waited for: it takes effect or is cancelled, never half of it. What has its outcome keeps ' +
          'it. Again, or for a sync batch, `cancelled` is 0.',
        querystring: nonceQuery,
        body: CancelBatch,
        response: answers(CancelledBatch),
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
  const { batchId } = splitOrderId(licenseOrderIds[0]!);
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
