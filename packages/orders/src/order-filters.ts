import type { LicenseOrderId, ListOrdersQuery } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';
import type { BatchFilters, Viewer } from './list-filters.ts';

/** What is asked for, without what belongs to the page. */
export type OrderFilters = Omit<ListOrdersQuery, 'limit' | 'cursor'> & Pick<BatchFilters, 'applicationId'>;

/**
 * A search for a page of orders. `after`: the place behind which it begins, as FoundOrders named it; null at the
 * newest.
 */
export interface OrderSearch {
  viewer: Viewer;
  filters: OrderFilters;
  limit: number;
  after: readonly string[] | null;
}

/** A page of orders: their ids, newest first, and the place behind which the next page begins; null at the end. */
export interface FoundOrders {
  ids: LicenseOrderId[];
  stop: readonly string[] | null;
}

/** What to look for in one index: orders with ids below one, as many as a page holds and one more. */
export interface IndexSearch extends Omit<OrderSearch, 'after'> {
  below: LicenseOrderId;
}

/** What was found by one index, newest first: every such order from `floor` on; all of them if that is null. */
export interface OrdersFrom {
  ids: LicenseOrderId[];
  floor: LicenseOrderId | null;
}

/** Conditions on `finished`, a row of license_order or nulls: the outcome is the one asked for. */
export function hasOutcome({ state, cause }: Pick<OrderFilters, 'state' | 'cause'>): RawBuilder<unknown> {
  if (cause !== undefined) return sql`finished.cause = ${cause}`;
  switch (state) {
    case undefined:
      return sql`true`;
    case 'pending':
      return sql`finished.id is null`;
    case 'succeeded':
      return sql`finished.id is not null and finished.cause is null`;
    case 'failed':
      return sql`finished.cause is not null`;
  }
}

/** Conditions on `finished`, a row of license_order: it is an order as asked for. */
export function isFinishedAsAsked(asked: OrderFilters): RawBuilder<unknown> {
  const ofType = asked.orderType === undefined ? sql`` : sql`and finished.order_type = ${asked.orderType}`;
  const ofCustomer = asked.customerId === undefined ? sql`` : sql`and finished.customer_id = ${asked.customerId}`;
  return sql`${hasOutcome(asked)} ${ofType} ${ofCustomer}`;
}
