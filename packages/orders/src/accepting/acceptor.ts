import { setTimeout as wait } from 'node:timers/promises';
import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { AcceptedOrder, BatchId } from '@lockstep/contract';
import { type Database, type Deadline, Group, run, textArray, untilConfirmed } from '@lockstep/platform';
import type { PendingBound } from '../channels/state.ts';
import { channelOfColumn } from '../lanes.ts';
import type { OrderMetrics } from '../metrics.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';
import {
  BATCH_ARRAYS,
  BATCH_COLUMNS,
  BATCH_NAMES,
  BATCH_VALUES,
  batchArrays,
  findingEarlier,
  isTraced,
  keyLockOf,
  keyOf,
  listAcceptedOrders,
  RECORDING_STORED,
  type SubmittedBatch,
  sameBatchId,
  storingTraces,
} from './batch.ts';
import type { JobAnnouncer } from './jobs.ts';
import { checkNumbers } from './prepare.ts';

const MAX_GROUP_BATCHES = 64;
const MAX_GROUP_CHARACTERS = 4 * 1024 * 1024;
/** How many characters of pending orders take as long to store as an order that fails, and as a number in it. */
const CHARACTERS_PER_FAILURE = 2_048;
const CHARACTERS_PER_NUMBER = 512;
const MAX_GROUPS_AT_ONCE = 2;
/** How soon a call tries again while another transaction is storing a batch with its key. The pause doubles. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

interface AcceptorOptions {
  db: Database;
  announcer: JobAnnouncer;
  bound: PendingBound;
  metrics: OrderMetrics;
  /** Numbers the event of a batch that was completed when it was accepted. */
  onCompleted: () => void;
}

/**
 * Accepts async batches (rules 6.1 and 6.2): stores them durably, then announces them to the workers. Orders of unknown
 * customers fail in the statement that stores them.
 */
export class BatchAcceptor {
  readonly #options: AcceptorOptions;
  readonly #groups: Group<SubmittedBatch, BatchId | null>;

  constructor(options: AcceptorOptions) {
    const { db } = options;
    this.#options = options;
    this.#groups = new Group({
      run: (batches: SubmittedBatch[]) => insertAsyncBatches(db, batches),
      maxRunning: MAX_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: weighStatement,
      maxWeight: MAX_GROUP_CHARACTERS,
      keyOf,
    });
  }

  /**
   * Stores a batch and returns its final order ids, in the order of orderList. Resubmitting the same content returns
   * the same answer. While another transaction is storing a batch with the same key, the call waits alone.
   *
   * Throws a Refusal (channel_order_id_conflict, asset_number_shared or overloaded) or an Overload. Then nothing is
   * stored.
   */
  async accept(submitted: SubmittedBatch, deadline: Deadline): Promise<AcceptedOrder[]> {
    const { db, announcer, metrics, onCompleted } = this.#options;
    const bound = await this.#options.bound.findRefusal(submitted.applicationId);
    const mayBeNew = submitted.sharedNumber === null && bound === null;
    let batchId: BatchId | null = null;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (mayBeNew) batchId = await this.#groups.run(submitted);
      if (batchId !== null) break;
      const [earlier] = await run(db, findingEarlier([submitted]));
      if (earlier !== undefined) {
        const earlierId = sameBatchId(submitted, earlier);
        // The commit of the earlier batch may not have reached the standbys yet. This answer must survive a failover.
        await untilConfirmed(db);
        return listAcceptedOrders(submitted, earlierId);
      }
      checkNumbers(submitted);
      if (bound !== null) throw bound;
      await deadline.race(wait(pauseMs));
    }
    metrics.ordersAccepted.inc(submitted.sequences.length);
    metrics.ordersApplied.inc({ outcome: 'failed' }, submitted.unknownOrders.length);
    if (submitted.chunks.length === 0) onCompleted();
    else announcer.announce(batchId);
    return listAcceptedOrders(submitted, batchId);
  }
}

function weighStatement({ characters, unknownOrders }: SubmittedBatch): number {
  const numbers = unknownOrders.reduce((sum, { assetNums }) => sum + assetNums.length, 0);
  return characters + unknownOrders.length * CHARACTERS_PER_FAILURE + numbers * CHARACTERS_PER_NUMBER;
}

/**
 * Stores a group of batches with one statement, and returns their ids; null for a batch whose key is taken or locked.
 * The statement draws the ids, so their order is the acceptance order.
 */
async function insertAsyncBatches(db: Database, batches: SubmittedBatch[]): Promise<(BatchId | null)[]> {
  const chunks = batches.flatMap(({ chunks }, place) => chunks.map((chunk) => ({ place: place + 1, ...chunk })));
  const unknown = batches.flatMap((batch, place) =>
    batch.unknownOrders.map((order) => {
      const customerId = batch.customerIds[order.index]!;
      return { place: place + 1, orderType: batch.orderTypes[order.index]!, customerId, ...order };
    }),
  );
  const values = [
    ...batchArrays(batches),
    // One text with a line each: the driver is slow to quote array elements. JSON has no line breaks.
    chunks.map(({ payload }) => payload).join('\n'),
    chunks.map(({ place }) => place),
    chunks.map(({ lane }) => lane),
    chunks.map(({ orderCount }) => orderCount),
    chunks.map(({ weight }) => weight),
    textArray(chunks.map(({ customerIds }) => textArray(customerIds))),
    batches.map(keyLockOf),
    batches.map(({ chunks, unknownOrders }) => (chunks.length === 0 ? unknownOrders.length : null)),
    textArray(batches.map(({ traceparent }) => traceparent)),
  ];
  const valuesOfUnknown = [
    unknown.map(({ content }) => content).join('\n'),
    unknown.map(({ place }) => place),
    unknown.map(({ index }) => index),
    textArray(unknown.map(({ orderType }) => orderType)),
    textArray(unknown.map(({ customerId }) => customerId)),
    textArray(unknown.map(({ assetNums }) => textArray(assetNums))),
  ];
  const rows = await run<{ place: number; id: BatchId }>(db, {
    storesRows: true,
    ...(unknown.length > 0
      ? { name: 'accept_unknown', text: ACCEPT_UNKNOWN, values: [...values, ...valuesOfUnknown] }
      : isTraced(batches)
        ? { name: 'accept_traced', text: ACCEPT_TRACED, values }
        : { name: 'accept_batches', text: ACCEPT_BATCHES, values }),
  });
  const batchIds: (BatchId | null)[] = batches.map(() => null);
  for (const { place, id } of rows) batchIds[place - 1] = id;
  return batchIds;
}

// Keeps times from preceding accepted_time if the clock was set back.
const NOW = 'greatest(now(), statement_timestamp())';

// SQL for CTEs after `placed`: fails the orders of unknown customers.
const FAILING = `, unknown as materialized (
    select id, id * ${ORDERS_PER_BATCH} + index as license_order_id, order_type, customer_id, content, asset_nums
    from placed join rows from (
      string_to_table($19, chr(10)),
      unnest(
        (select $20::int[]), (select $21::int[]), (select $22::text[]), (select $23::text[]), (select $24::text[])
      )
    ) as unknown (content, place, index, order_type, customer_id, asset_nums) using (place)
  ), unknown_counts as (
    select id, count(*)::int as orders from unknown group by id
  ), outcomes as (
    insert into license_order (id, order_type, customer_id, cause, args, assets, products)
    select license_order_id, order_type, customer_id, 'customer_not_found', jsonb_build_array(customer_id), 0, 0 from unknown
  ), contents as (
    insert into failed_order (license_order_id, payload_version, content, asset_nums)
    select license_order_id, ${PAYLOAD_VERSION}::smallint, content, asset_nums::text[] from unknown
  ), recorded as (${RECORDING_STORED}
  )`;

// `failed` tells that a batch consists of orders that fail: it is stored as completed. If only some orders fail, they
// are a finished chunk in lane 0, which no channel has, so that the batch's counts include them. Without such orders,
// the statement takes a fifth less time, and a few microseconds less without traces, so there are three.
const acceptBatches = (ifUnknown: (text: string) => string, traced = storingTraces('placed')) => `
  with input as materialized (
    select * from unnest(${BATCH_ARRAYS}, (select $16::bigint[]), (select $17::int[]), (select $18::text[]))
      with ordinality as input (${BATCH_NAMES}, key_lock, failed, traceparent, place)
    where pg_try_advisory_xact_lock(key_lock)
  ), stored as (
    insert into batch (id, ${BATCH_COLUMNS}, completed_time, succeeded, failed)
    select nextval('batch_id'), ${BATCH_VALUES}, case when failed is not null then ${NOW} end, failed * 0, failed
    from input order by place
    on conflict (application_id, channel_code, channel_order_id) do nothing
    returning id, application_id, channel_code, channel_order_id, completed_time, succeeded, failed
  ), placed as (
    select place::int, id, application_id, completed_time, traceparent
    from input join stored using (application_id, channel_code, channel_order_id)
  )${traced}${ifUnknown(FAILING)}, chunks as (
    insert into lane_chunk (
      batch_id, lane, customer_ids, order_count, weight, payload, payload_version, finished_time, failed
    )
    select placed.id, lane, customer_ids::text[], order_count, weight, payload, ${PAYLOAD_VERSION}::smallint,
      null::timestamptz, 0
    from placed join rows from (
      string_to_table($10, chr(10)),
      unnest(
        (select $11::int[]), (select $12::int[]), (select $13::int[]), (select $14::int[]), (select $15::text[])
      )
    ) as chunk (payload, place, lane, order_count, weight, customer_ids) using (place)
    ${ifUnknown(`
    union all
    select id, 0, '{}', orders, orders, null, ${PAYLOAD_VERSION}::smallint, ${NOW}, orders
    from placed join unknown_counts using (id) where completed_time is null
    `)}
    returning batch_id, lane, order_count, failed
  ), activity as (
    insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select application_id, ${channelOfColumn()}, sum(order_count - part.failed), sum(order_count), 0, sum(part.failed),
      case when sum(part.failed) > 0 then jsonb_build_object('customer_not_found', sum(part.failed)) else '{}' end
    from (
      select * from chunks
      ${ifUnknown('union all select id, 0, failed, failed from stored where completed_time is not null')}
    ) as part join placed on id = batch_id group by application_id, ${channelOfColumn()}
  )
  select place, id from placed`;

const ACCEPT_BATCHES = acceptBatches(() => '', '');
const ACCEPT_TRACED = acceptBatches(() => '');
const ACCEPT_UNKNOWN = acceptBatches((text) => text);
