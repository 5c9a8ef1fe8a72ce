import type { LicenseOrderId } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import type { Outcome } from '../planning/outcome.ts';
import type { Finished, WorkedBatch } from './finish-orders.ts';

/** An order that failed, and why. */
interface FailedOrder {
  licenseOrderId: LicenseOrderId;
  cause: string;
}

/** What a transaction has applied. */
export interface Applied extends Finished {
  succeeded: number;
  /** The orders that failed, and why. */
  failedOrders: FailedOrder[];
}

/** What a transaction has done, for its log line. */
export interface Work {
  batches: readonly WorkedBatch[];
  succeeded: number;
  failedOrders: readonly FailedOrder[];
  /** A time of performance.now. */
  startedMs: number;
}

/** How much of a line the batches may take: log collectors may cut lines of more than 16 KiB in two. */
const MAX_BATCHES_BYTES = 12_000;
/** Failed orders that a line names at most. */
const MAX_LOGGED_FAILURES = 20;

/** The orders among outcomes that failed. */
function listFailedOrders(outcomes: readonly Outcome[]): FailedOrder[] {
  return outcomes.flatMap(({ accepted, failure }) =>
    failure === null ? [] : [{ licenseOrderId: accepted.licenseOrderId, cause: failure.cause }],
  );
}

/** Says what a transaction has applied. */
export function buildApplied(outcomes: readonly Outcome[], finished: Finished): Applied {
  const failedOrders = listFailedOrders(outcomes);
  return { succeeded: outcomes.length - failedOrders.length, failedOrders, ...finished };
}

/** Adds up what parts of a transaction have applied. */
export function addApplied(parts: readonly Applied[]): Applied {
  return {
    succeeded: parts.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failedOrders: parts.flatMap(({ failedOrders }) => failedOrders),
    batches: parts.flatMap(({ batches }) => batches),
    finishedBatchIds: parts.flatMap(({ finishedBatchIds }) => finishedBatchIds),
    hasCompletions: parts.some(({ hasCompletions }) => hasCompletions),
  };
}

/**
 * Writes what a transaction has done: one line with its batches, how many orders succeeded and failed, the causes and
 * the first of the failed orders. Batches that do not fit into it follow in lines of their own.
 */
export function logWork(log: Logger, message: string, { batches, succeeded, failedOrders, startedMs }: Work): void {
  const [first = [], ...further] = splitIntoLines(batches);
  const causes = Object.fromEntries(
    [...Map.groupBy(failedOrders, ({ cause }) => cause)].map(([cause, orders]) => [cause, orders.length]),
  );
  const failures = failedOrders.length === 0 ? {} : { causes, failures: failedOrders.slice(0, MAX_LOGGED_FAILURES) };
  const ms = Math.round(performance.now() - startedMs);
  const orders = succeeded + failedOrders.length;
  log.info({ orders, failed: failedOrders.length, ms, ...failures, batches: first }, message);
  for (const batches of further) log.info({ batches }, `${message}, continued`);
}

/** Splits batches so that each part fits into a line. */
function splitIntoLines(batches: readonly WorkedBatch[]): WorkedBatch[][] {
  const lines: WorkedBatch[][] = [];
  let left = 0;
  for (const batch of batches) {
    const bytes = Buffer.byteLength(JSON.stringify(batch));
    if (bytes > left) {
      lines.push([]);
      left = MAX_BATCHES_BYTES;
    }
    lines.at(-1)!.push(batch);
    left -= bytes + 1;
  }
  return lines;
}
