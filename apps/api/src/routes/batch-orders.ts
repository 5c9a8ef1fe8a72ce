import type { Caller } from '@lockstep/access';
import { splitOrderId } from '@lockstep/assets';
import { type AcceptedOrder, BatchRefusal, Refusal, requireChannel, success } from '@lockstep/contract';
import { routes } from '@lockstep/contract/routes';
import { previewBatch } from '@lockstep/orders';
import type { FastifyInstance } from 'fastify';
import type { ReadBatch } from '../calls/bodies.ts';
import { callerOf } from '../calls/caller.ts';
import { noteSubject, type Subject } from '../calls/calls.ts';
import { addOperations, checksAllButBody, type Handlers } from '../calls/operation-routes.ts';
import { noteNamed } from '../calls/refused.ts';
import { acceptTraced } from '../calls/spans.ts';
import { answerLong } from '../calls/turns.ts';
import type { Services } from '../services.ts';

/** The operations whose body is a batch. */
export type BatchOperationId = 'createBatchOrder' | 'previewBatchOrder';

const BATCH = 'batch';

/** A batch that was read, and its sender. */
interface Submission {
  caller: Caller;
  batch: ReadBatch;
}

/** Registers O5 (rules 6.1 to 6.3) and its preview (rules 6.6) in the order module. */
export async function batchOrderRoutes(server: FastifyInstance, options: Services): Promise<void> {
  options.bodies.readBytes(server, (request) => callerOf(request).applicationId);
  server.setValidatorCompiler(checksAllButBody);
  server.decorateRequest(BATCH, null);
  server.addHook('preValidation', async (request) => {
    const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const isPreview = request.routeOptions.config.operationId === 'previewBatchOrder';
    const batch = await options.batches.read(callerOf(request), bytes, isPreview, request).catch((error: unknown) => {
      if (error instanceof BatchRefusal) {
        noteSubject(request, error.batchName);
        noteNamed(request, { assetNums: error.assetNums });
      }
      throw error;
    });
    noteNamed(request, { assetNums: batch.assetNums });
    const { channelCode, channelOrderId, sequences } = batch.prepared;
    noteSubject(request, { channelCode, channelOrderId, orders: sequences.length });
    request.setDecorator<ReadBatch | null>(BATCH, batch);
    request.body = undefined;
  });
  addOperations<BatchOperationId, Submission>(server, batchHandlers(options), (request) => {
    const batch = request.getDecorator<ReadBatch>(BATCH);
    // An open connection refers to its last request, and should not keep a batch.
    request.setDecorator<ReadBatch | null>(BATCH, null);
    return { caller: callerOf(request), batch };
  });
}

function batchHandlers(options: Services): Handlers<BatchOperationId, Submission> {
  const { acceptor, applier, publicUrl } = options;
  const pathPrefix = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  /**
   * Builds the path of the result of a batch. It has no host, because a caller can send any Host header (rules 6.2).
   */
  const buildLocation = (batch: { channelCode: string; channelOrderId: string }) =>
    // A + means a space in forms only; %20 works for every client.
    `${pathPrefix}${routes.getBatchResult.path}?${new URLSearchParams(batch).toString().replaceAll('+', '%20')}`;

  return {
    createBatchOrder: async (request, { caller, batch: { prepared, orders } }, reply) => {
      checkSender(caller, request.query, prepared);
      const { channelCode, channelOrderId, syncMode } = prepared;
      const accepted = await acceptTraced(request, async (call) =>
        syncMode === 'sync'
          ? await applier.apply({ ...prepared, ...call }, orders, caller.channels, request.deadline.remainingMs)
          : await acceptor.accept({ ...prepared, ...call }, request.deadline),
      );
      noteSubject(request, listIds(accepted));
      const failed = prepared.unknownOrders.length;
      if (failed > 0) noteSubject(request, { failed });
      reply.header('location', buildLocation({ channelCode, channelOrderId }));
      return success(accepted);
    },

    previewBatchOrder: async (request, { caller, batch: { prepared, orders, ignoredFields } }, reply) => {
      checkSender(caller, request.query, prepared);
      return await answerLong(options, caller.applicationId, request, reply, async () => {
        const previews = await previewBatch(request.db, prepared, orders, caller.channels);
        return JSON.stringify({ ...success(previews), ignoredFields });
      });
    },
  };
}

/**
 * Refuses a batch if its query names another application, or if the application is not bound to its channel. Throws a
 * Refusal: app_key_mismatch, channel_not_allowed.
 */
function checkSender(caller: Caller, query: { appKey: string }, batch: { channelCode: string }): void {
  if (query.appKey !== caller.appKey) throw new Refusal('app_key_mismatch');
  requireChannel(caller.channels, batch.channelCode);
}

/** The most order ids in the log line of a call. With more orders, the batch identifies them. */
const MAX_NAMED_ORDERS = 20;

/** Returns the ids for the log line of a call. */
function listIds(accepted: readonly AcceptedOrder[]): Subject {
  const licenseOrderIds = accepted.slice(0, MAX_NAMED_ORDERS + 1).map(({ licenseOrderId }) => licenseOrderId);
  const { batchId } = splitOrderId(licenseOrderIds[0]!);
  return licenseOrderIds.length > MAX_NAMED_ORDERS ? { batchId } : { batchId, licenseOrderIds };
}
