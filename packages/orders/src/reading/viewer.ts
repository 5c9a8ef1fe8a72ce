import type { ApplicationId, LicenseOrderId, ListBatchesQuery, ListOrdersQuery, Viewer } from '@lockstep/contract';
import { isId, ListCursor, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/** Returns the applications whose batches a viewer asks for. Only operators ask by `appKey`. */
export async function findSenders(trx: Trx, viewer: Viewer, appKey: string | undefined): Promise<ApplicationId[]> {
  if (viewer.applicationId !== null) return [viewer.applicationId];
  const { rows } = await sql<{ id: ApplicationId }>`
    select id from application where true ${andIs('app_key', appKey)}`.execute(trx);
  return rows.map(({ id }) => id);
}

export type BatchFilters = Pick<ListBatchesQuery, 'channelCode' | 'acceptedFrom' | 'acceptedTo'>;
export type OrderFilters = Omit<ListOrdersQuery, 'limit' | 'cursor'>;

/** A search for a page of orders from some applications. */
export interface OrderSearch {
  viewer: Viewer;
  senders: readonly ApplicationId[];
  filters: OrderFilters;
  limit: number;
}

/** A page of order ids, newest first. `stop`: where the next page starts, as cursors have it; null at the end. */
export interface FoundOrders {
  ids: LicenseOrderId[];
  stop: readonly string[] | null;
}

/** A condition on the outcome of an order, `finished`, which has only nulls while the order is pending. */
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

/** Conditions on `batch`: it is from one of the senders, of a channel asked for, and from the period asked for. */
export function isAskedFor({ viewer, senders, filters }: OrderSearch): RawBuilder<unknown> {
  const isFromSender = sql`batch.application_id = any (${senders}::bigint[])`;
  return sql`${isFromSender} and ${isOfChannel(viewer, filters)} ${inPeriod(filters)}`;
}

/** A further condition, or none: a column has the value asked for. */
export const andIs = (column: string, value: string | undefined) =>
  value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`;

/** Further conditions on `batch`, or none: it was accepted in the period (ends included). */
export function inPeriod({ acceptedFrom, acceptedTo }: BatchFilters): RawBuilder<unknown> {
  // Rows have microseconds; answers show whole milliseconds.
  const from = acceptedFrom === undefined ? sql`` : sql`and batch.accepted_time >= ${timeOf(acceptedFrom)}`;
  const to = acceptedTo === undefined ? sql`` : sql`and batch.accepted_time < ${timeOf(acceptedTo + 1)}`;
  return sql`${from} ${to}`;
}

const timeOf = (milliseconds: number) => sql`to_timestamp(${milliseconds}::bigint / 1000.0)`;

/** Conditions on `batch`: it belongs to the channel asked for, and to one that the viewer is bound to (rules 2, 9). */
export function isOfChannel(
  { channels }: Pick<Viewer, 'channels'>,
  { channelCode }: Partial<BatchFilters> = {},
): RawBuilder<unknown> {
  if (channels === null) return channelCode === undefined ? sql`true` : sql`batch.channel_code = ${channelCode}`;
  const codes = channels.filter((code) => channelCode === undefined || code === channelCode);
  return sql`batch.channel_code = any (${codes}::text[])`;
}

const isMicroseconds = (text: string) => /^[1-9]\d{15}$/.test(text);

/** The lists, and the parts of a position in each: when a batch was accepted, in microseconds since 1970, and an id. */
const PARTS = { batches: [isMicroseconds, isId], orders: [isMicroseconds, isId], ordersById: [isId] };

/** Opens a cursor for one list, viewer and set of filters. Throws a WrongCursor. */
export function openCursor(
  list: keyof typeof PARTS,
  viewer: Viewer,
  filters: object,
  cursor: string | undefined,
): ListCursor {
  return new ListCursor([list, viewer.applicationId, filters], cursor, PARTS[list]);
}
