import { splitOrderId } from '@lockstep/assets';
import type { Cause, CustomerId, LicenseOrderId, Order } from '@lockstep/contract';
import {
  type ConsoleOrder,
  type ConsoleOrderDetail,
  type ConsoleOrderPage,
  type ConsoleOrdersQuery,
  HIDDEN,
  type OrderContent,
} from '@lockstep/contract/console';
import { type Database, isId } from '@lockstep/platform';
import { sql } from 'kysely';
import { OPERATOR } from '../lists/filters.ts';
import { buildListed, readOrderPage, type SentOrderRow, selectSentOrders } from '../lists/orders.ts';
import { cutOrderText, PAYLOAD_VERSION, type PlacedOrder, readStoredOrders } from '../stored-orders.ts';
import { markPasswords } from './mark-passwords.ts';

/** How many earlier failures of a retried order are shown. Each retry was an operator's action. */
const MAX_RETRIES = 50;

/** Returns an order of any application; undefined if there is none. */
export async function readAnyOrder(db: Database, id: LicenseOrderId): Promise<ConsoleOrderDetail | undefined> {
  if (!isId(id)) return undefined;
  const [row] = await selectSentOrders(db, OPERATOR, [id]);
  if (row === undefined) return undefined;
  const retries = await db
    .selectFrom('order_retry')
    .select(['cause', 'message', 'finished_time', 'retried_time'])
    .where('license_order_id', '=', id)
    .orderBy('finished_time', 'desc')
    .limit(MAX_RETRIES)
    .execute();
  return {
    ...buildSentOrder(row),
    requestId: row.request_id,
    srcLicenseOrderId: row.src_license_order_id,
    retries: retries.map((retry) => ({
      cause: retry.cause as Cause,
      message: retry.message,
      finishedTime: retry.finished_time.getTime(),
      retriedTime: retry.retried_time.getTime(),
    })),
  };
}

/** The content of an order: JSON in the form of `orderText`, with its passwords, which must not reach an operator. */
export type StoredOrderText = { kind: 'kept'; text: string; bytes: number } | Exclude<OrderContent, { kind: 'kept' }>;

/** Reads the content of an order, if it is stored and at most `maxBytes`. */
export async function readOrderText(
  db: Database,
  order: Pick<ConsoleOrderDetail, 'licenseOrderId' | 'customerId' | 'state'>,
  maxBytes: number,
): Promise<StoredOrderText> {
  if (order.state === 'succeeded') return { kind: 'gone' };
  const row =
    order.state === 'failed' ? await selectFailed(db, order, maxBytes) : await selectPending(db, order, maxBytes);
  // A pending order may have got its outcome meanwhile.
  if (row === undefined) return { kind: order.state === 'failed' ? 'expired' : 'gone' };
  const { bytes, content, payload_version } = row;
  if (content === null) return { kind: 'too_large', bytes };
  return { kind: 'kept', text: cutOrderText(payload_version, content), bytes };
}

interface StoredRow {
  bytes: number;
  /** A list with only this order; null if it is too large. */
  content: string | null;
  payload_version: number;
}

async function selectFailed(
  db: Database,
  { licenseOrderId }: { licenseOrderId: LicenseOrderId },
  maxBytes: number,
): Promise<StoredRow | undefined> {
  const { rows } = await sql<StoredRow>`
    select octet_length(content) as bytes, payload_version,
      case when octet_length(content) <= ${maxBytes}::int then content end as content
    from failed_order where license_order_id = ${licenseOrderId}`.execute(db);
  return rows[0];
}

/** PostgreSQL, not the event loop, parses the chunk to extract the order. */
async function selectPending(
  db: Database,
  { licenseOrderId, customerId }: { licenseOrderId: LicenseOrderId; customerId: CustomerId },
  maxBytes: number,
): Promise<StoredRow | undefined> {
  const { batchId, index } = splitOrderId(licenseOrderId);
  const { rows } = await sql<StoredRow>`
    select octet_length(placed.content) as bytes, payload_version,
      case when octet_length(placed.content) <= ${maxBytes}::int then placed.content end as content
    from (
      select payload, payload_version from lane_chunk
      where batch_id = ${batchId} and ${customerId} = any (customer_ids) and finished_time is null
        and payload_version = ${PAYLOAD_VERSION}
      union all
      select content, payload_version from held_order
      where license_order_id = ${licenseOrderId} and payload_version = ${PAYLOAD_VERSION}
    ) as chunk cross join lateral (
      select '[' || each::text || ']' as content from json_array_elements(chunk.payload::json) as each
      where (each ->> 0)::int = ${index} limit 1
    ) as placed`.execute(db);
  return rows[0];
}

/** Returns the content of an order as an operator may see it. */
export function showContent(stored: StoredOrderText): OrderContent {
  if (stored.kind !== 'kept') return stored;
  const order = JSON.parse(markPasswords(stored.text, HIDDEN)) as unknown;
  return { kind: 'kept', order, bytes: stored.bytes };
}

/** Parses the content of an order. Throws a PayloadFault if no release writes such a text. */
export function readStoredOrder(text: string): Order {
  const [[, order]] = readStoredOrders(PAYLOAD_VERSION, `[[0,${text}]]`) as [PlacedOrder];
  return order;
}

/**
 * Returns a page of the orders of all applications, newest first by id, for operators.
 *
 * Throws a WrongCursor.
 */
export async function listAllOrders(db: Database, query: ConsoleOrdersQuery): Promise<ConsoleOrderPage> {
  const { rows, nextCursor } = await readOrderPage(db, OPERATOR, query);
  return { orders: rows.map(buildSentOrder), nextCursor };
}

function buildSentOrder(row: SentOrderRow): ConsoleOrder {
  const { batchId } = splitOrderId(row.id);
  return { ...buildListed(row), batchId, appKey: row.app_key, applicationName: row.application_name };
}
