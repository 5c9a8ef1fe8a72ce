import { setImmediate } from 'node:timers/promises';
import type { BatchId, FailedOrders } from '@lockstep/contract';
import { listResends, type Operator, readResentFrom, recordChange } from '@lockstep/operators';
import { listBatches, readFailedOrders } from '@lockstep/orders';
import {
  groupFailures,
  listOrdersOfBatch,
  type OperatorBatch,
  readAnyBatch,
  showBatch,
} from '@lockstep/orders/operator';
import { type Database, isId } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import { answerLong, changeInTurn } from '../../calls/turns.ts';
import type { Services } from '../../services.ts';
import { hidePasswords } from '../hidden-passwords.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { countResent, findResent, readPauses, traceOrders } from '../traces.ts';
import { partyOf } from '../who-acts.ts';

/** Handlers for batches of all applications: their results, and cancelling their pending orders. */
export function batchesHandlers(options: Services) {
  const { db, channels } = options;
  return {
    listAllBatches: async (request, operator) => {
      const { batches, nextCursor } = await listBatches(request.db, operator, request.query, showBatch);
      return { batches: await countResent(request.db, batches), nextCursor };
    },

    listImports: async (request, operator) => {
      const found: ReturnType<typeof showBatch>[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== undefined); page++) {
        const query = { ...request.query, limit: BATCHES_AT_ONCE, cursor };
        const { batches, nextCursor } = await listBatches(request.db, operator, query, showBatch);
        found.push(...batches);
        cursor = nextCursor ?? undefined;
      }
      const imports = [...Map.groupBy(found, ({ channelCode }) => channelCode).values()].map(async (batches) => {
        const open = batches.find(({ completedTime }) => completedTime === null);
        const read = open && (await readAnyBatch(request.db, operator, open.batchId as BatchId));
        return { ...sumBatches(batches), estimatedCompletionTime: await channels.estimate(read?.waiting ?? null) };
      });
      return { imports: await Promise.all(imports), isCut: cursor !== undefined };
    },

    getBatch: async (request, operator) => {
      const { shown, waiting } = await findNamedBatch(request, operator);
      const estimatedCompletionTime = shown.held > 0 ? null : await channels.estimate(waiting);
      const [batch] = await countResent(request.db, [shown]);
      const resends = await listResends(request.db, [request.params.batchId]);
      return {
        ...batch!,
        estimatedCompletionTime,
        resends: resends.map(({ fromBatchId, ...resend }) => resend),
        resentFrom: await readResentFrom(request.db, request.params.batchId),
        pauses: await readPauses(request.db, operator, { ids: waiting?.map(({ channelId }) => channelId) ?? [] }),
      };
    },

    getBatchFailures: async (request, operator) => {
      await findNamedBatch(request, operator);
      const { batchId } = request.params;
      const failures = await groupFailures(request.db, batchId);
      const resent = await findResent(request.db, [batchId]);
      const countOf = (cause: string) => resent.filter((order) => order.cause === cause).length;
      return { failures: failures.map((group) => ({ ...group, resent: countOf(group.cause) })) };
    },

    listBatchOrders: async (request, operator) => {
      const batch = await findNamedBatch(request, operator);
      const { orders, nextCursor } = await listOrdersOfBatch(request.db, batch, request.query);
      return { orders: await traceOrders(request.db, operator, orders), nextCursor };
    },

    downloadFailedOrders: async (request, operator, reply) => {
      const { applicationId, shown } = await findNamedBatch(request, operator);
      const { channelCode, channelOrderId } = shown;
      const file = await answerLong(options, partyOf(operator), request, reply, async () => {
        const { syncMode, orders } = await readFailedOrders(request.db, applicationId, shown);
        const marked: string[] = [];
        for (const order of orders) {
          marked.push(JSON.stringify(hidePasswords(JSON.parse(order) as object, '')));
          // Lets other calls go on: there may be megabytes.
          await setImmediate();
        }
        return writeFile({ channelCode, syncMode, orderList: [] }, marked);
      });
      reply.header('content-disposition', `attachment; filename="failed-orders.json"; ${nameFile(channelOrderId)}`);
      return file;
    },

    cancelBatch: async (request, operator) => {
      const { applicationId, shown } = await findNamedBatch(request, operator);
      const { batchId, state, pending } = shown;
      // A cancel has a transaction of its own, so the request is logged whatever its outcome.
      const asked = { state, pending };
      await recordChange(request.db, operator, {
        action: 'batch.cancel_asked',
        target: batchId,
        before: asked,
        after: null,
      });
      const cancel = (patient: Database) => options.cancel(patient, applicationId, shown);
      const after = await changeInTurn(options, partyOf(operator), request, cancel);
      await recordChange(db, operator, { action: 'batch.cancelled', target: batchId, before: asked, after });
      return after;
    },
  } satisfies ConsoleHandlers;
}

/** How many batches an import counts: the newest. */
const BATCHES_AT_ONCE = 1_000;
const MAX_PAGES = 20;

/** Adds up the batches of an import in one channel. */
function sumBatches(batches: readonly ReturnType<typeof showBatch>[]) {
  const sum = (name: 'total' | 'succeeded' | 'failed' | 'pending' | 'held') =>
    batches.reduce((total, batch) => total + batch[name], 0);
  const completed = batches.flatMap(({ completedTime }) => completedTime ?? []);
  const acceptedTime = Math.min(...batches.map((batch) => batch.acceptedTime));
  const completedTime = completed.length === batches.length ? Math.max(...completed) : null;
  const [total, succeeded, failed, held] = [sum('total'), sum('succeeded'), sum('failed'), sum('held')];
  const seconds = Math.max(1, ((completedTime ?? Date.now()) - acceptedTime) / 1_000);
  return {
    channelCode: batches[0]!.channelCode,
    ...{ total, succeeded, failed, held, pending: sum('pending') },
    batches: batches.length,
    completed: completed.length,
    perSecond: (succeeded + failed) / seconds,
    acceptedTime,
    completedTime,
  };
}

/** A call about one batch. */
type BatchCall = FastifyRequest<{ Params: { batchId: BatchId } }>;

/** Returns the batch that a call names. Throws a ConsoleRefusal: not_found. */
export async function findNamedBatch(request: BatchCall, operator: Operator): Promise<OperatorBatch> {
  const { batchId } = request.params;
  noteSubject(request, { batchId });
  const found = isId(batchId) ? await readAnyBatch(request.db, operator, batchId) : undefined;
  const batch = existing('batch', batchId, found);
  noteSubject(request, { channelCode: batch.shown.channelCode, channelOrderId: batch.shown.channelOrderId });
  return batch;
}

/**
 * Writes a file that is a batch without a channelOrderId. Passwords are empty, so a batch sent without filling them in
 * is refused with the path of each.
 */
function writeFile(data: FailedOrders, orders: readonly string[]): string {
  return `${JSON.stringify(data).slice(0, -']}'.length)}${orders.join(',')}]}`;
}

/** Returns the header value for a file name with any characters. */
function nameFile(channelOrderId: string): string {
  const name = encodeURIComponent(`failed-${channelOrderId}.json`).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `filename*=UTF-8''${name}`;
}
