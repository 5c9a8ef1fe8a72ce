import type { BatchResult, OrderResult } from '@lockstep/contract';
import Table from 'cli-table3';

/** Of batches with more orders only the failures are shown: nobody reads a longer table. */
export const MAX_TABLE_ORDERS = 50;

/** Formats the outcome of a small batch for people: every order in a table, the messages, the totals. */
export function formatOrders(result: BatchResult, orders: readonly OrderResult[]): string {
  const messages = orders.flatMap(({ sequence, message }) => (message === null ? [] : [`${sequence}: ${message}`]));
  return [buildTable(orders), ...messages, formatTotals(result)].join('\n');
}

/** Formats the outcome of a large batch for people: a line for each failed order, the totals. */
export function formatFailures(result: BatchResult, failed: readonly OrderResult[]): string {
  const lines = failed.map(
    ({ sequence, licenseOrderId, cause, message }) => `${sequence} (${licenseOrderId}) ${cause}: ${message}`,
  );
  return [...lines, formatTotals(result)].join('\n');
}

/** Formats the outcome of a batch for programs: the data of the result operation, with all orders on one page. */
export function formatJson(result: BatchResult, orders: readonly OrderResult[]): string {
  const { nextCursor: _, ...batch } = result;
  return JSON.stringify({ ...batch, orders });
}

function formatTotals({ succeeded, failed }: BatchResult): string {
  return `${succeeded} succeeded, ${failed} failed`;
}

function buildTable(orders: readonly OrderResult[]): string {
  const table = new Table({
    head: ['sequence', 'licenseOrderId', 'customer', 'order', 'outcome', 'assets', 'products'],
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    colAligns: ['right', 'right', 'right', 'left', 'left', 'right', 'right'],
  });
  for (const { sequence, licenseOrderId, customerId, orderType, cause, state, assets, products } of orders) {
    table.push([sequence, licenseOrderId, customerId, orderType, cause ?? state, assets, products]);
  }
  return table.toString();
}
