import type { BatchResult, OrderResult } from '@lockstep/contract';
import Table from 'cli-table3';

/** Batches of more orders are shown by their failures: nobody reads a longer table. */
export const MAX_TABLE_ORDERS = 50;

/** What became of a small batch, for people: every order in a table, the messages, the totals. */
export function showOrders(result: BatchResult, orders: readonly OrderResult[]): string {
  const messages = orders.flatMap(({ sequence, message }) => (message === null ? [] : [`${sequence}: ${message}`]));
  return [tableOf(orders), ...messages, totalsOf(result)].join('\n');
}

/** What became of a large batch, for people: a line for each order that failed, the totals. */
export function showFailures(result: BatchResult, failed: readonly OrderResult[]): string {
  const lines = failed.map(
    ({ sequence, licenseOrderId, cause, message }) => `${sequence} (${licenseOrderId}) ${cause}: ${message}`,
  );
  return [...lines, totalsOf(result)].join('\n');
}

/** What became of a batch, for programs: the data of the result operation with all orders on its one page. */
export function jsonOf(result: BatchResult, orders: readonly OrderResult[]): string {
  const { nextCursor: _, ...batch } = result;
  return JSON.stringify({ ...batch, orders });
}

function totalsOf({ succeeded, failed }: BatchResult): string {
  return `${succeeded} succeeded, ${failed} failed`;
}

function tableOf(orders: readonly OrderResult[]): string {
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
