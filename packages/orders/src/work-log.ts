import type { Logger } from '@lockstep/platform';
import type { Outcome } from './apply.ts';

/** A batch of which a transaction has carried orders out, and the call that brought it. */
export interface WorkedBatch {
  batchId: string;
  channelOrderId: string;
  /** Null for a batch of a release that did not keep it. */
  requestId: string | null;
  /** How many of its orders got their outcome in this transaction. */
  orders: number;
}

/** An order that failed, and why. */
export interface FailedOrder {
  licenseOrderId: string;
  cause: string;
}

/** What a transaction has done, as its log line tells it. */
export interface Work {
  batches: readonly WorkedBatch[];
  succeeded: number;
  failedOrders: readonly FailedOrder[];
  /** A time of performance.now. */
  startedMs: number;
}

/** What batches take of a line: whatever collects logs may cut what is longer than 16 KiB in two. */
const MAX_BATCH_BYTES = 12_000;
/** Failed orders that a line names. */
const MAX_NAMED_FAILURES = 20;

/** The orders that failed. */
export function failedOrdersOf(outcomes: readonly Outcome[]): FailedOrder[] {
  return outcomes.flatMap(({ accepted, failure }) =>
    failure === null ? [] : [{ licenseOrderId: accepted.licenseOrderId, cause: failure.cause }],
  );
}

/**
 * Writes what a transaction has done: one line with its batches, how many orders succeeded and failed, the causes and the
 * first of the failed orders. Further batches that do not fit into it follow in lines of their own.
 */
export function logWork(log: Logger, message: string, { batches, succeeded, failedOrders, startedMs }: Work): void {
  const [first = [], ...further] = linesOf(batches);
  const causes = Object.fromEntries(
    [...Map.groupBy(failedOrders, ({ cause }) => cause)].map(([cause, orders]) => [cause, orders.length]),
  );
  const failures = failedOrders.length === 0 ? {} : { causes, failures: failedOrders.slice(0, MAX_NAMED_FAILURES) };
  const ms = Math.round(performance.now() - startedMs);
  const orders = succeeded + failedOrders.length;
  log.info({ orders, failed: failedOrders.length, ms, ...failures, batches: first }, message);
  for (const batches of further) log.info({ batches }, `${message}: further batches`);
}

/** Batches in the lines that they fit into. */
function linesOf(batches: readonly WorkedBatch[]): WorkedBatch[][] {
  const lines: WorkedBatch[][] = [];
  let left = 0;
  for (const batch of batches) {
    const bytes = Buffer.byteLength(JSON.stringify(batch));
    if (bytes > left) {
      lines.push([]);
      left = MAX_BATCH_BYTES;
    }
    lines.at(-1)!.push(batch);
    left -= bytes + 1;
  }
  return lines;
}
