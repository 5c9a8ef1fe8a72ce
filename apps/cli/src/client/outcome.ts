import { LockstepError } from '@lockstep/client';
import type { BatchResult, BatchSummary, OrderPreview, OrderResult } from '@lockstep/contract';
import { STATUS } from '../output/status.ts';
import { formatTable } from '../output/table.ts';
import { say, showProgress } from '../output/terminal.ts';
import { type Column, countOrders, formatTime } from '../output/values.ts';
import type { OrderClient } from './client.ts';

/** Identifies a batch of an application. */
export type BatchKey = { channelCode: string; channelOrderId: string };

/** How to show an outcome. */
export interface OutcomeOptions {
  /** Print JSON only: the data of the result operation, with all orders. */
  json?: true;
  /** Exit with the status of a refusal if an order failed. */
  failOnFailed?: true;
}

/** How long each call for the progress waits for the batch to be completed. */
const LOOK_SECONDS = '1';
const BAR_WIDTH = 30;
/** For a batch with more orders, only failed orders are shown. */
const MAX_TABLE_ORDERS = 50;

/** What the result and the preview of an order share. */
type Outcome = Pick<OrderResult, 'sequence' | 'customerId' | 'orderType' | 'state' | 'cause' | 'message'>;

const sequence: Column<Outcome> = { head: 'sequence', cell: (order) => order.sequence, isRight: true };
const COMMON: readonly Column<Outcome>[] = [
  { head: 'customer', cell: ({ customerId }) => customerId, isRight: true },
  { head: 'type', cell: ({ orderType }) => orderType },
  { head: 'outcome', cell: ({ cause, state }) => cause ?? state },
];
const RESULT_COLUMNS: readonly Column<OrderResult>[] = [
  sequence,
  { head: 'licenseOrderId', cell: ({ licenseOrderId }) => licenseOrderId, isRight: true },
  ...COMMON,
  { head: 'assets', cell: ({ assets }) => assets, isRight: true },
  { head: 'products', cell: ({ products }) => products, isRight: true },
];
const PREVIEW_COLUMNS: readonly Column<OrderPreview>[] = [
  sequence,
  ...COMMON,
  { head: 'assets', cell: ({ assets }) => assets.length, isRight: true },
  { head: 'products', cell: ({ products }) => products.length, isRight: true },
];

/** Reads the totals of a batch, with at most one of its orders. The error for an unknown batch says why it may be. */
export async function readResult(client: OrderClient, key: BatchKey): Promise<BatchResult> {
  try {
    return await client.call('getBatchResult', { query: { ...key, limit: '1' } });
  } catch (error) {
    const { message, cause } = error as Error;
    if (!(cause instanceof LockstepError) || cause.cause !== 'batch_not_found') throw error;
    throw new Error(`${message} A refused sync batch is not stored: fix it and send it again.`, {
      cause: error,
    });
  }
}

/** Shows the progress of a batch until it is completed. Returns its totals. */
export async function watchBatch(client: OrderClient, key: BatchKey): Promise<BatchResult> {
  for (let waitSeconds = '0'; ; waitSeconds = LOOK_SECONDS) {
    const result = await client.call('getBatchResult', { query: { ...key, limit: '1', waitSeconds } });
    if (result.state === 'completed') return result;
    const { succeeded, failed, total, estimatedCompletionTime } = result;
    const ended = succeeded + failed;
    const bar = '█'.repeat(Math.floor((BAR_WIDTH * ended) / total)).padEnd(BAR_WIDTH, '░');
    showProgress(`${bar} ${ended}/${total} orders${describeEstimate(estimatedCompletionTime)}`);
  }
}

/**
 * Shows the outcome of a batch, with all its orders in `state` or, without it, all orders of a small batch and the
 * failed ones of a large batch. `result` has its totals.
 */
export async function showOutcome(
  client: OrderClient,
  result: BatchResult,
  options: OutcomeOptions & { state?: string },
): Promise<void> {
  const { nextCursor: _, ...batch } = result;
  const { channelCode, channelOrderId, total, failed } = batch;
  const { json, state } = options;
  const isLarge = !json && state === undefined && total > MAX_TABLE_ORDERS;
  const query = { channelCode, channelOrderId, state: isLarge ? 'failed' : state };
  const orders = isLarge && failed === 0 ? [] : await Array.fromAsync(client.list('getBatchResult', { query }));
  if (json) say(JSON.stringify({ ...batch, orders }));
  else if (isLarge) say([...orders.map(describeFailure), describeTotals(batch)].join('\n'));
  else say([formatTable(RESULT_COLUMNS, orders), ...listMessages(orders), describeTotals(batch)].join('\n'));
  setStatus(failed, options);
}

/** Shows what a batch would do as a table; of a large batch, only the orders that would fail. */
export function showPreview(orders: readonly OrderPreview[], options: OutcomeOptions): void {
  const failed = orders.filter(({ state }) => state === 'failed');
  const shown = orders.length > MAX_TABLE_ORDERS ? failed : orders;
  const table = shown.length === 0 ? [] : [formatTable(PREVIEW_COLUMNS, shown)];
  const totals = `${orders.length - failed.length} would succeed, ${failed.length} would fail`;
  if (options.json) for (const order of orders) say(JSON.stringify(order));
  else say([...table, ...listMessages(failed), totals].join('\n'));
  setStatus(failed.length, options);
}

/** Describes a batch without its orders in one line. */
export function summarize(batch: BatchResult): string {
  const { total, syncMode, state, acceptedTime, completedTime, estimatedCompletionTime } = batch;
  const end =
    completedTime === null ? describeEstimate(estimatedCompletionTime) : `, completed at ${formatTime(completedTime)}`;
  const totals = `${state}, ${syncMode}, ${countOrders(total)}`;
  return `${describeBatch(batch)}: ${totals}; accepted at ${formatTime(acceptedTime)}${end}`;
}

/** Names a batch in messages. */
export function describeBatch({ channelCode, channelOrderId }: BatchKey): string {
  return `Batch ${channelOrderId} of channel ${channelCode}`;
}

function describeEstimate(timeMs: number | null): string {
  return timeMs === null ? '' : `, expected by ${formatTime(timeMs)}`;
}

function describeFailure({ sequence, licenseOrderId, cause, message }: OrderResult): string {
  return `${sequence} (${licenseOrderId}) ${cause}: ${message}`;
}

function listMessages(orders: readonly Outcome[]): string[] {
  return orders.flatMap(({ sequence, message }) => (message === null ? [] : [`${sequence}: ${message}`]));
}

function describeTotals({ succeeded, failed, pending, held }: BatchSummary): string {
  const waiting = held === 0 ? '' : ` (${held} held: an order of their customer cannot be applied yet)`;
  return `${succeeded} succeeded, ${failed} failed${pending === 0 ? '' : `, ${pending} pending${waiting}`}`;
}

/** Sets the exit status of a refusal if orders failed and --fail-on-failed is set. */
function setStatus(failed: number, { failOnFailed }: OutcomeOptions): void {
  if (failOnFailed && failed > 0) process.exitCode = STATUS.refused;
}
