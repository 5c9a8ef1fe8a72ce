import type { ApplicationId, Channels, LicenseOrderId, ListBatchesQuery, ListOrdersQuery } from '@lockstep/contract';
import { type CursorPart, isId, ListCursor } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/** A calling application and the channels that it is bound to. It sees its own batches in these channels. */
interface ListCaller {
  applicationId: ApplicationId;
  channels: Channels;
}

/** Makes the type of OPERATOR one that nothing else has. */
declare const isOperator: unique symbol;
interface Operator {
  applicationId: null;
  channels: null;
  [isOperator]: true;
}

/** An operator, who sees the batches of all applications. Only the console gets this value (decision 0017). */
export const OPERATOR = { applicationId: null, channels: null } as Operator;

/** Who reads batches and orders. Every query for a viewer applies the conditions below. */
export type Viewer = ListCaller | Operator;

export type BatchFilters = Pick<ListBatchesQuery, 'channelCode' | 'acceptedFrom' | 'acceptedTo'> & {
  /** The application that sent it. Only operators filter by it. */
  applicationId?: ApplicationId | undefined;
};

/**
 * Conditions on `batch`: the viewer may see it, it is from the application asked for, and it was accepted in the period
 * (ends included).
 */
export function isOfSenderInPeriod(viewer: Viewer, filters: BatchFilters): RawBuilder<unknown> {
  const applicationId = viewer.applicationId ?? filters.applicationId;
  const isOfSender = applicationId === undefined ? sql`true` : sql`batch.application_id = ${applicationId}`;
  return sql`${isOfSender} ${inPeriod(filters)}`;
}

/** Further conditions on `batch`, or none: it was accepted in the period (ends included). */
export function inPeriod({ acceptedFrom, acceptedTo }: BatchFilters): RawBuilder<unknown> {
  // Rows have microseconds; answers show whole milliseconds.
  const from = acceptedFrom === undefined ? sql`` : sql`and batch.accepted_time >= ${timeOf(acceptedFrom)}`;
  const to = acceptedTo === undefined ? sql`` : sql`and batch.accepted_time < ${timeOf(acceptedTo + 1)}`;
  return sql`${from} ${to}`;
}

const timeOf = (milliseconds: number) => sql`to_timestamp(${milliseconds}::bigint / 1000.0)`;

/** Conditions on `batch`: it belongs to the channel asked for, and to one that the viewer is bound to (rules 2). */
export function isOfChannel({ channels }: Viewer, { channelCode }: BatchFilters): RawBuilder<unknown> {
  if (channelCode !== undefined) return sql`batch.channel_code = ${channelCode}`;
  return channels === null ? sql`true` : sql`batch.channel_code = any (${[...channels]}::text[])`;
}

export type OrderFilters = Omit<ListOrdersQuery, 'limit' | 'cursor'> & Pick<BatchFilters, 'applicationId'>;

/** A search for a page of orders. `after`: where it starts, as returned in FoundOrders; null: at the newest. */
export interface OrderSearch {
  viewer: Viewer;
  filters: OrderFilters;
  limit: number;
  after: readonly string[] | null;
}

/** A page of order ids, newest first. `stop`: where the next page starts; null at the end. */
export interface FoundOrders {
  ids: LicenseOrderId[];
  stop: readonly string[] | null;
}

/** A search in one index: orders with ids below `below`, up to one more than a page. */
export interface IndexSearch extends Omit<OrderSearch, 'after'> {
  below: LicenseOrderId;
}

/** What one index returned, newest first: all matching orders down to `floor`, or all if `floor` is null. */
export interface OrdersFrom {
  ids: LicenseOrderId[];
  floor: LicenseOrderId | null;
}

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

export function isFinishedAsAsked(asked: OrderFilters): RawBuilder<unknown> {
  const ofType = asked.orderType === undefined ? sql`` : sql`and finished.order_type = ${asked.orderType}`;
  const ofCustomer = asked.customerId === undefined ? sql`` : sql`and finished.customer_id = ${asked.customerId}`;
  return sql`${hasOutcome(asked)} ${ofType} ${ofCustomer}`;
}

/**
 * The lists, and the parts of a position in each: when a batch was accepted, in PostgreSQL's text format, and an id.
 */
const PARTS = {
  batches: [isTimeText, isId],
  orders: [isTimeText, isId],
  ordersById: [isId],
} satisfies Record<string, CursorPart[]>;

/** Opens a cursor for one list, viewer and set of filters. Throws a WrongCursor. */
export function openCursor(
  list: keyof typeof PARTS,
  viewer: Viewer,
  filters: object,
  cursor: string | undefined,
): ListCursor {
  return new ListCursor([list, viewer.applicationId, filters], cursor, PARTS[list]);
}

const TIME_TEXT = /^(2\d{3}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d)?$/;

/** Whether a text is a time as PostgreSQL writes it, and a valid one. */
function isTimeText(text: string): boolean {
  const [, date, time] = TIME_TEXT.exec(text) ?? [];
  if (date === undefined) return false;
  const read = new Date(`${date}T${time}Z`);
  // JavaScript turns a day that a month does not have into one of the next month.
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(date);
}
