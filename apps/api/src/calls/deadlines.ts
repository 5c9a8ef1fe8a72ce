import type { OperationId } from '@lockstep/contract';
import type { ConsoleOperationId } from '@lockstep/contract/console';
import { type Database, Deadline, within } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How long a call can take from its head to its answer. Receiving the body does not count. */
const CALL_TIMEOUT_MS = 10_000;
/** For calls that wait for data that orders are changing, and previews. */
const CHANGE_TIMEOUT_MS = 15_000;
/** Longer limits, by operation. */
const TIMEOUTS_MS: Partial<Record<OperationId, number>> = {
  // Callers can ask them to wait 30 seconds.
  getBatchResult: 40_000,
  getEvents: 40_000,
  previewBatchOrder: CHANGE_TIMEOUT_MS,
  createBatchOrder: CHANGE_TIMEOUT_MS,
  lockAssets: CHANGE_TIMEOUT_MS,
  unlockAssets: CHANGE_TIMEOUT_MS,
  // Hashing a hundred passwords takes seconds, and longer if other calls hash too.
  addEmployees: 30_000,
  deleteEmployee: CHANGE_TIMEOUT_MS,
  configureAssets: CHANGE_TIMEOUT_MS,
  lendAssets: CHANGE_TIMEOUT_MS,
};
/** Longer limits, by operation of the console. */
const CONSOLE_TIMEOUTS_MS: Partial<Record<ConsoleOperationId, number>> = {
  cancelBatch: CHANGE_TIMEOUT_MS,
  pauseChannel: CHANGE_TIMEOUT_MS,
};
/** How long a call on a shared connection waits for a lock of another transaction. */
const MAX_LOCK_WAIT_MS = 2_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The time by which the call must be answered. */
    deadline: Deadline;
    /** The database for this call: queries end with its deadline and wait only briefly for locks. */
    readonly db: Database;
  }
}

/** Gives every call one deadline for all its work. When the call ends, everything that waits for it stops waiting. */
export function boundCalls(server: FastifyInstance, db: Database): void {
  server.decorateRequest('deadline');
  server.decorateRequest('db', {
    getter() {
      return within(db, this.deadline, MAX_LOCK_WAIT_MS);
    },
  });
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    request.deadline = new Deadline(timeoutMsOf(request));
    // The call ends when it is answered or refused, or when its client disconnects, which may already have happened.
    reply.raw.once('close', () => request.deadline.end());
    if (reply.raw.destroyed) request.deadline.end();
  });
}

function timeoutMsOf({ routeOptions }: FastifyRequest): number {
  const { operationId, consoleOperationId } = routeOptions.config;
  const own = operationId ? TIMEOUTS_MS[operationId] : consoleOperationId && CONSOLE_TIMEOUTS_MS[consoleOperationId];
  return own ?? CALL_TIMEOUT_MS;
}
