import type { BatchResult, BatchSummary, OrderPreview, OrderResult } from '@lockstep/contract';
import { type Column, formatTable, formatTime } from './table.ts';

/** For a batch with more orders, only failed orders are shown. */
export const MAX_TABLE_ORDERS = 50;

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

/** Formats the outcome of a small batch: a table of its orders, the messages, the totals. */
export function formatOrders(result: BatchSummary, orders: readonly OrderResult[]): string {
  return [formatTable(RESULT_COLUMNS, orders), ...formatMessages(orders), formatTotals(result)].join('\n');
}

/** Formats the outcome of a large batch: a line for each failed order, the totals. */
export function formatFailures(result: BatchSummary, failed: readonly OrderResult[]): string {
  const lines = failed.map(
    ({ sequence, licenseOrderId, cause, message }) => `${sequence} (${licenseOrderId}) ${cause}: ${message}`,
  );
  return [...lines, formatTotals(result)].join('\n');
}

/** Formats the outcome of a batch as JSON: the data of the result operation, with all orders on one page. */
export function formatJson(result: BatchResult, orders: readonly OrderResult[]): string {
  const { nextCursor: _, ...batch } = result;
  return JSON.stringify({ ...batch, orders });
}

/** Formats what a batch would do as a table; of a large batch, only the orders that would fail. */
export function formatPreview(orders: readonly OrderPreview[]): string {
  const failed = orders.filter(({ state }) => state === 'failed');
  const shown = orders.length > MAX_TABLE_ORDERS ? failed : orders;
  const table = shown.length === 0 ? [] : [formatTable(PREVIEW_COLUMNS, shown)];
  const totals = `${orders.length - failed.length} would succeed, ${failed.length} would fail`;
  return [...table, ...formatMessages(failed), totals].join('\n');
}

/** Formats the fields of a batch that the service ignores, one per line. */
export function formatIgnored(fields: readonly string[]): string {
  return formatTable([{ head: 'Unknown fields, which the service ignores:', cell: (field) => field }], fields);
}

/** Formats a batch without its orders as one line. */
export function formatBatch(batch: BatchResult): string {
  const { total, syncMode, state, acceptedTime, completedTime, estimatedCompletionTime } = batch;
  const estimate = estimatedCompletionTime === null ? '' : `, expected by ${formatTime(estimatedCompletionTime)}`;
  const end = completedTime === null ? estimate : `, completed at ${formatTime(completedTime)}`;
  const orders = `${total} ${total === 1 ? 'order' : 'orders'}`;
  return `${describeBatch(batch)}: ${state}, ${syncMode}, ${orders}; accepted at ${formatTime(acceptedTime)}${end}`;
}

/** Names a batch in messages. */
export function describeBatch({
  channelCode,
  channelOrderId,
}: {
  channelCode: string;
  channelOrderId: string;
}): string {
  return `Batch ${channelOrderId} of channel ${channelCode}`;
}

function formatMessages(orders: readonly Outcome[]): string[] {
  return orders.flatMap(({ sequence, message }) => (message === null ? [] : [`${sequence}: ${message}`]));
}

function formatTotals({ succeeded, failed, pending, held }: BatchSummary): string {
  const waiting = held === 0 ? '' : ` (${held} held: an order of their customer cannot be applied yet)`;
  return `${succeeded} succeeded, ${failed} failed${pending === 0 ? '' : `, ${pending} pending${waiting}`}`;
}
