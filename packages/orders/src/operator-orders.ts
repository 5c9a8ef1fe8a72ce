import { splitOrderId } from '@lockstep/assets';
import type { ConsoleOrder, ConsoleOrderPage, ConsoleOrdersQuery } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { OPERATOR } from './list-filters.ts';
import { readOrderPage } from './list-orders.ts';
import { buildListed, type SentOrderRow } from './sent-orders.ts';

/**
 * Lists orders of all applications, newest first by their ids, for operators.
 *
 * Throws a WrongCursor.
 */
export async function listAllOrders(db: Database, query: ConsoleOrdersQuery): Promise<ConsoleOrderPage> {
  const { rows, nextCursor } = await readOrderPage(db, OPERATOR, query);
  return { orders: rows.map(buildSentOrder), nextCursor };
}

/** Shows an order with its batch and its sender. */
export function buildSentOrder(row: SentOrderRow): ConsoleOrder {
  const { batchId } = splitOrderId(row.id);
  return { ...buildListed(row), batchId, appKey: row.app_key, applicationName: row.application_name };
}
