import { ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { BatchId, Channels, CustomerId, LicenseOrderId, Order, OrderType } from '@lockstep/contract';
import { buildRows, type Database, describeError, run, type Statement, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { weighOrder } from '../accepting/prepare.ts';
import type { OrderWithId } from '../planning/order.ts';
import {
  PAYLOAD_VERSION,
  PayloadFault,
  type PlacedOrder,
  readStoredOrders,
  writeStoredOrders,
} from '../stored-orders.ts';
import { type Chunk, MAX_WEIGHT, SENDERS_CHANNELS, type UnreadableChunk } from './pending.ts';

// A hold is a row of order_hold: a customer and its oldest pending order, which cannot be applied. That order and the
// customer's later ones are rows of held_order, outside their chunks, so that drains and polls for other customers
// never read them. Holds and held orders change only while their lane is locked.

/** SQL: the pause before a held order is retried, 1 s to 5 min. `tries`: how often in a row it has failed. */
const pauseAfter = (tries: ReturnType<typeof sql>) =>
  sql`make_interval(secs => least(300, 2 ^ least(${tries} - 1, 9)))`;

export const findingHeld = (customerIds: Iterable<CustomerId>): Statement<{ customer_id: CustomerId }> => ({
  name: 'find_held',
  text: 'select customer_id from order_hold where customer_id = any ((select $1::text[])::text[])',
  values: [[...new Set(customerIds)]],
});

export async function findHeld(trx: Trx, customerIds: Iterable<CustomerId>): Promise<Set<CustomerId>> {
  const rows = await run(trx, findingHeld(customerIds));
  return new Set(rows.map(({ customer_id }) => customer_id));
}

/** An order because of which its customer is held, and why. */
interface Hold {
  customerId: CustomerId;
  licenseOrderId: LicenseOrderId;
  lane: number;
  error: unknown;
}

/** Holds customers because of these orders. Take the orders out of their chunks in the same transaction. */
export async function insertHolds(trx: Trx, holds: readonly Hold[]): Promise<void> {
  if (holds.length === 0) return;
  const rows = buildRows([
    ['customer_id', 'text', holds.map(({ customerId }) => customerId)],
    ['license_order_id', 'bigint', holds.map(({ licenseOrderId }) => licenseOrderId)],
    ['lane', 'integer', holds.map(({ lane }) => lane)],
    ['last_error', 'text', holds.map(({ error }) => describeError(error))],
  ]);
  await sql`
    insert into order_hold (customer_id, license_order_id, lane, last_error, next_try)
    select *, statement_timestamp() + ${pauseAfter(sql`1`)}
    from ${rows} as failed (customer_id, license_order_id, lane, last_error)
    on conflict (customer_id) do nothing`.execute(trx);
}

export async function recordFailure(db: Database, { licenseOrderId, customerId }: HeldOrder, error: unknown) {
  await sql`
    update order_hold set license_order_id = ${licenseOrderId}, last_error = ${describeError(error)},
      tries = failed.tries, since = case when failed.tries = 1 then statement_timestamp() else since end,
      next_try = statement_timestamp() + ${pauseAfter(sql`failed.tries`)}
    from (
      select customer_id, case when license_order_id = ${licenseOrderId} then tries else 0 end + 1 as tries
      from order_hold where customer_id = ${customerId}
    ) as failed
    where order_hold.customer_id = failed.customer_id`.execute(db);
}

/**
 * Makes all holds due, except those that failed in the last five seconds. That bounds the retries, however many workers
 * call this.
 */
export async function makeDue(db: Database): Promise<void> {
  await sql`
    update order_hold set next_try = statement_timestamp()
    where next_try > statement_timestamp() and next_try < statement_timestamp() - interval '5 s' + ${pauseAfter(sql`tries`)}`.execute(
    db,
  );
}

export interface HeldOrder {
  licenseOrderId: LicenseOrderId;
  batchId: BatchId;
  lane: number;
  customerId: CustomerId;
  orderType: OrderType;
  channels: Channels;
  /** Null if it can't be read. */
  order: Order | null;
  weight: number;
}

type HeldRow = Omit<HeldOrder, 'order' | 'weight'> & { version: number; content: string };

/** Reads the oldest held orders of a customer: at least one, and at most the weight that a drain takes. */
export async function readOldestHeld(trx: Trx, customerId: CustomerId): Promise<HeldOrder[]> {
  const held = await readHeld(trx, sql`customer_id = ${customerId} order by batch_id, sequence limit ${MAX_WEIGHT}`);
  let weight = 0;
  return held.filter((order, place) => {
    weight += order.weight;
    return place === 0 || weight <= MAX_WEIGHT;
  });
}

export function readHeldInBatch(trx: Trx, batchId: BatchId): Promise<HeldOrder[]> {
  return readHeld(
    trx,
    sql`
    license_order_id >= ${batchId}::bigint * ${sql.lit(ORDERS_PER_BATCH)}
    and license_order_id < (${batchId}::bigint + 1) * ${sql.lit(ORDERS_PER_BATCH)} order by license_order_id`,
  );
}

async function readHeld(trx: Trx, wanted: ReturnType<typeof sql>): Promise<HeldOrder[]> {
  const { rows } = await sql<HeldRow>`
    select license_order_id as "licenseOrderId", batch_id as "batchId", lane, customer_id as "customerId",
      payload_version as version, content, ${sql.raw(SENDERS_CHANNELS)}, (
        select order_types[license_order_id % ${sql.lit(ORDERS_PER_BATCH)} + 1] from batch where batch.id = batch_id
      ) as "orderType"
    from held_order where ${wanted}`.execute(trx);
  return rows.map(({ version, content, ...held }) => {
    const order = readOrder(version, content);
    return { ...held, order, weight: order === null ? 0 : weighOrder(order, content.length) };
  });
}

/** Reads an order that is stored alone. Returns null if it can't be read. */
function readOrder(version: number, content: string): Order | null {
  try {
    return readStoredOrders(version, content)[0]?.[1] ?? null;
  } catch (error) {
    if (error instanceof PayloadFault) return null;
    throw error;
  }
}

export function asChunks(held: readonly HeldOrder[]): Pick<Chunk, 'batchId' | 'lane' | 'orders'>[] {
  return [...Map.groupBy(held, ({ batchId, lane }) => `${batchId} ${lane}`).values()].map((ofChunk) => {
    const { batchId, lane } = ofChunk[0]!;
    return {
      batchId,
      lane,
      orders: ofChunk.map((each) => [splitOrderId(each.licenseOrderId).index, withId(each).order]),
    };
  });
}

/** Returns a held order with its id. An order that can't be read has only the fields known from its batch. */
export function withId({ licenseOrderId, channels, order, customerId, orderType }: HeldOrder): OrderWithId {
  return { licenseOrderId, channels, order: order ?? ({ customerId, orderType } as Order) };
}

/** Whether an order could be read in full. */
export const isReadable = (order: Order) => (order.assets as unknown) !== undefined;

/** Moves orders of held customers out of their chunks. */
export async function insertHeld(
  trx: Trx,
  moved: readonly { batchId: BatchId; lane: number; placed: PlacedOrder }[],
): Promise<void> {
  if (moved.length === 0) return;
  await send(trx, {
    name: 'insert_held',
    text: `
      insert into held_order (license_order_id, customer_id, batch_id, lane, sequence, payload_version, content)
      select batch_id * ${ORDERS_PER_BATCH} + index, customer_id, batch_id, lane, sequence,
        ${PAYLOAD_VERSION}::smallint, content
      from rows from (
        string_to_table($1, chr(10)), unnest($2::bigint[], $3::int[], $4::int[], $5::text[], $6::int[])
      ) as moved (content, batch_id, lane, index, customer_id, sequence)`,
    values: [
      // One text with a line each: the driver is slow to quote array elements. JSON has no line breaks.
      moved.map(({ placed }) => writeStoredOrders([placed])).join('\n'),
      moved.map(({ batchId }) => batchId),
      moved.map(({ lane }) => lane),
      moved.map(({ placed: [index] }) => index),
      moved.map(({ placed: [, order] }) => order.customerId),
      moved.map(({ placed: [, order] }) => order.sequence),
    ],
  });
}

/**
 * Holds all customers of a chunk that can't be read, and moves its orders out as they are stored: in each version, a
 * payload is a list of [index in orderList, order]. The batch tells which orders these are, so damaged ones move, too.
 */
export async function holdUnreadable(trx: Trx, { batchId, lane, fault }: UnreadableChunk): Promise<void> {
  const firstId = sql`${batchId}::bigint * ${sql.lit(ORDERS_PER_BATCH)}`;
  await sql`
    with chunk as (
      select * from lane_chunk where batch_id = ${batchId} and lane = ${lane}
    ), stored as (
      select each ->> 0 as index, '[' || each::text || ']' as content
      from chunk cross join json_array_elements(case when payload is json array then payload::json else '[]' end) as each
    ), moved as materialized (
      select ${firstId} + place - 1 as license_order_id, sent.customer_id, sent.sequence, chunk.payload_version,
        coalesce(stored.content, '') as content
      from chunk join batch on batch.id = chunk.batch_id
      cross join unnest(batch.customer_ids, sequences) with ordinality as sent (customer_id, sequence, place)
      left join stored on stored.index = (place - 1)::text
      left join license_order on license_order.id = ${firstId} + place - 1
      left join held_order on license_order_id = ${firstId} + place - 1
      where sent.customer_id = any (chunk.customer_ids) and license_order.id is null and license_order_id is null
    ), holds as (
      insert into order_hold (customer_id, license_order_id, lane, last_error, next_try)
      select distinct on (customer_id) customer_id, license_order_id, ${lane}::int, ${describeError(fault)},
        statement_timestamp() + ${pauseAfter(sql`1`)}
      from moved order by customer_id, sequence
      on conflict (customer_id) do nothing
    ), held as (
      insert into held_order (license_order_id, customer_id, batch_id, lane, sequence, payload_version, content)
      select license_order_id, customer_id, ${batchId}, ${lane}, sequence, payload_version, content from moved
    )
    update lane_chunk set payload = '[]', payload_version = ${PAYLOAD_VERSION}, customer_ids = '{}', is_held = true
    where batch_id = ${batchId} and lane = ${lane}`.execute(trx);
}

/**
 * Removes held orders that have an outcome, and the holds of customers without held orders. If a customer's hold named
 * one of these orders but others remain, the hold becomes due at once.
 */
export async function releaseHeld(trx: Trx, finished: readonly HeldOrder[]): Promise<void> {
  if (finished.length === 0) return;
  const ids = finished.map(({ licenseOrderId }) => licenseOrderId);
  const customerIds = [...new Set(finished.map(({ customerId }) => customerId))];
  await sql`delete from held_order where license_order_id = any (${ids}::bigint[])`.execute(trx);
  await sql`
    delete from order_hold where customer_id = any (${customerIds}::text[])
      and not exists (select from held_order where held_order.customer_id = order_hold.customer_id)`.execute(trx);
  await sql`
    update order_hold set next_try = statement_timestamp()
    where customer_id = any (${customerIds}::text[]) and license_order_id = any (${ids}::bigint[])`.execute(trx);
}
