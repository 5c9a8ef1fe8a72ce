import type { OperationId } from '@lockstep/contract';
import type { ConsoleOperationId } from '@lockstep/contract/console';
import { type Database, Deadline, within } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How long a call may take, from its head to its answer. The time in which its body comes does not count. */
const CALL_TIMEOUT_MS = 10_000;
/** For calls that wait for what orders are changing. */
const CHANGE_TIMEOUT_MS = 15_000;
/** How long a call may take, for operations that may take longer. */
const TIMEOUTS_MS: Partial<Record<OperationId, number>> = {
  // They may be asked to answer only after 30 seconds.
  getBatchResult: 40_000,
  getEvents: 40_000,
  // It may be 32 MiB, read in turns with others. The time in which the client reads it does not count.
  getFailedOrders: 30_000,
  // The same of what is on assets.
  getAsset: 30_000,
  readAssetContents: 30_000,
  listVirtualAssets: 30_000,
  // A large one waits for its turn, and lists 200,000 products.
  previewBatchOrder: 60_000,
  createBatchOrder: CHANGE_TIMEOUT_MS,
  lockAssets: CHANGE_TIMEOUT_MS,
  unlockAssets: CHANGE_TIMEOUT_MS,
  // A hundred passwords take seconds, and longer behind those of others.
  addEmployees: 30_000,
  deleteEmployee: CHANGE_TIMEOUT_MS,
  configureAssets: CHANGE_TIMEOUT_MS,
  lendAssets: CHANGE_TIMEOUT_MS,
};
/** The same of the console's operations. */
const CONSOLE_TIMEOUTS_MS: Partial<Record<ConsoleOperationId, number>> = {
  downloadFailedOrders: 30_000,
  cancelBatch: CHANGE_TIMEOUT_MS,
  pauseChannel: CHANGE_TIMEOUT_MS,
};
/** How long a call on a shared connection waits for each lock that another transaction holds. */
const MAX_LOCK_WAIT_MS = 2_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The time by which the call must be done. */
    deadline: Deadline;
    /** The shared database for this call: queries end with its deadline, and wait only briefly for locks. */
    readonly db: Database;
  }
}

/** Gives every call one deadline for all its work. What waits on behalf of a call stops waiting when the call ends. */
export function boundCalls(server: FastifyInstance, db: Database): void {
  server.decorateRequest('deadline');
  server.decorateRequest('db', {
    getter() {
      return within(db, this.deadline, MAX_LOCK_WAIT_MS);
    },
  });
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    request.deadline = new Deadline(timeoutMsOf(request));
    // However the call ends: answered, refused, or left by its client, who may have gone already.
    reply.raw.once('close', () => request.deadline.end());
    if (reply.raw.destroyed) request.deadline.end();
  });
}

function timeoutMsOf({ routeOptions }: FastifyRequest): number {
  const { operationId, consoleOperationId } = routeOptions.config;
  const own = operationId ? TIMEOUTS_MS[operationId] : consoleOperationId && CONSOLE_TIMEOUTS_MS[consoleOperationId];
  return own ?? CALL_TIMEOUT_MS;
}
