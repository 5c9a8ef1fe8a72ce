import type { ApplicationId, Channels, LicenseOrderId, ListBatchesQuery, ListOrdersQuery } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';

/** An application that looks, and the channels that it is bound to. It sees its own batches of these. */
export interface ListCaller {
  applicationId: ApplicationId;
  channels: Channels;
}

/** An operator, who sees the batches of all applications. */
export const OPERATOR = { applicationId: null, channels: null } as const;

/** Who looks at batches and orders. Every query for somebody has one, with the conditions below. */
export type Viewer = ListCaller | typeof OPERATOR;

/** What the lists have in common: filters by the batch. */
export type BatchFilters = Pick<ListBatchesQuery, 'channelCode' | 'acceptedFrom' | 'acceptedTo'> & {
  /** The application that sent it; only operators ask for that. */
  applicationId?: ApplicationId | undefined;
};

/**
 * Conditions on `batch`: the viewer may see it, it is of the application asked for, and it was accepted in the period,
 * whose ends belong to it.
 */
export function isOfSenderInPeriod(viewer: Viewer, filters: BatchFilters): RawBuilder<unknown> {
  const applicationId = viewer.applicationId ?? filters.applicationId;
  const isOfSender = applicationId === undefined ? sql`true` : sql`batch.application_id = ${applicationId}`;
  return sql`${isOfSender} ${inPeriod(filters)}`;
}

/** More conditions on `batch`, or none: it was accepted in the period, whose ends belong to it. */
export function inPeriod({ acceptedFrom, acceptedTo }: BatchFilters): RawBuilder<unknown> {
  // Rows have microseconds, of which answers show whole milliseconds.
  const from = acceptedFrom === undefined ? sql`` : sql`and batch.accepted_time >= ${timeOf(acceptedFrom)}`;
  const to = acceptedTo === undefined ? sql`` : sql`and batch.accepted_time < ${timeOf(acceptedTo + 1)}`;
  return sql`${from} ${to}`;
}

const timeOf = (milliseconds: number) => sql`to_timestamp(${milliseconds}::bigint / 1000.0)`;

/** Conditions on `batch`: it is of the channel asked for, and of one that the viewer is bound to (rules 2). */
export function isOfChannel({ channels }: Viewer, { channelCode }: BatchFilters): RawBuilder<unknown> {
  if (channelCode !== undefined) return sql`batch.channel_code = ${channelCode}`;
  return channels === null ? sql`true` : sql`batch.channel_code = any (${[...channels]}::text[])`;
}

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
