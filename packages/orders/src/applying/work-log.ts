import type { LicenseOrderId } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import type { Outcome } from '../planning/outcome.ts';
import type { Finished, WorkedBatch } from './finish-orders.ts';

interface FailedOrder {
  licenseOrderId: LicenseOrderId;
  cause: string;
}

export interface Applied extends Finished {
  succeeded: number;
  failedOrders: FailedOrder[];
}

export interface Work {
  batches: readonly WorkedBatch[];
  succeeded: number;
  failedOrders: readonly FailedOrder[];
  /** A time of performance.now. */
  startedMs: number;
}

/** How many batches a line names: log collectors may split lines of more than 16 KiB. */
const BATCHES_OF_LINE = 50;
const MAX_LOGGED_FAILURES = 20;

function listFailedOrders(outcomes: readonly Outcome[]): FailedOrder[] {
  return outcomes.flatMap(({ accepted, failure }) =>
    failure === null ? [] : [{ licenseOrderId: accepted.licenseOrderId, cause: failure.cause }],
  );
}

export function buildApplied(outcomes: readonly Outcome[], finished: Finished): Applied {
  const failedOrders = listFailedOrders(outcomes);
  return { succeeded: outcomes.length - failedOrders.length, failedOrders, ...finished };
}

export function addApplied(parts: readonly Applied[]): Applied {
  return {
    succeeded: parts.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failedOrders: parts.flatMap(({ failedOrders }) => failedOrders),
    batches: parts.flatMap(({ batches }) => batches),
    finishedBatchIds: parts.flatMap(({ finishedBatchIds }) => finishedBatchIds),
  };
}

/**
 * Logs one line for a transaction: its batches, the numbers of succeeded and failed orders, the causes, and the first
 * failed orders. Batches that don't fit go into further lines.
 */
export function logWork(log: Logger, message: string, { batches, succeeded, failedOrders, startedMs }: Work): void {
  const causes = Object.fromEntries(
    [...Map.groupBy(failedOrders, ({ cause }) => cause)].map(([cause, orders]) => [cause, orders.length]),
  );
  const failures = failedOrders.length === 0 ? {} : { causes, failures: failedOrders.slice(0, MAX_LOGGED_FAILURES) };
  const ms = Math.round(performance.now() - startedMs);
  const orders = succeeded + failedOrders.length;
  log.info(
    { orders, failed: failedOrders.length, ms, ...failures, batches: batches.slice(0, BATCHES_OF_LINE) },
    message,
  );
  for (let from = BATCHES_OF_LINE; from < batches.length; from += BATCHES_OF_LINE) {
    log.info({ batches: batches.slice(from, from + BATCHES_OF_LINE) }, `${message}, continued`);
  }
}
