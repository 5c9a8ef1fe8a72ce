import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import {
  type ApplicationId,
  type BatchId,
  type FailedOrdersQuery,
  type LicenseOrderId,
  Refusal,
  type SyncMode,
} from '@lockstep/contract';
import { type Database, FairQueue } from '@lockstep/platform';
import { sql } from 'kysely';
import { findBatch } from '../accepting/batch.ts';
import { cutOrderText } from '../stored-orders.ts';

/** How much is read at once, in bytes, unless a single order is larger. Small calls wait for no more than this. */
const PART_BYTES = 256 * 1024;
const PARTS_AT_ONCE = 2;
const MAX_WAITING = 250;
/** How many parts larger than PART_BYTES a process holds at once until they are sent. Each may be 32 MiB. */
const LARGE_PARTS = { atOnce: 4, atOnceOfOwner: 2 };

/** The failed orders of a batch, to be read once. */
interface FailedBatch {
  syncMode: SyncMode;
  /**
   * The orders in orderList order, as JSON, separated by commas. Throws an overload (isOverload) if too many calls of
   * the application wait or its turn does not come in time. Throws an Error if the rest has been deleted meanwhile.
   */
  parts: AsyncIterable<string>;
}

interface Part {
  ids: LicenseOrderId[];
  bytes: number;
}

interface KeptOrder {
  id: LicenseOrderId;
  /** Null if its content has been deleted. */
  bytes: number | null;
}

/**
 * Returns failed orders as they were sent (rules 6.7), without parsing them. They may be 32 MiB, so a call reads them
 * in parts, each after the previous one was sent, and holds one part at most even if its client is slow. A process
 * reads two parts at a time, with a fair share for each application, and holds few large parts at once.
 */
export class FailedBatchReader {
  readonly #turns = new FairQueue({ atOnce: PARTS_AT_ONCE, maxWaiting: () => MAX_WAITING });
  readonly #largeParts = new FairQueue({ ...LARGE_PARTS, maxWaiting: () => MAX_WAITING });

  /**
   * Opens the failed orders of a batch. `party`: whose fair share the call uses. `signal` ends waiting and must abort
   * at the end of the call, so that the call frees its part even if reading has stopped halfway.
   *
   * Throws a Refusal: batch_not_found, also for batches of other applications; content_expired if the content of an
   * order has been deleted.
   */
  async open(
    db: Database,
    applicationId: ApplicationId,
    { channelCode, channelOrderId }: FailedOrdersQuery,
    signal: AbortSignal,
    party: string = applicationId,
  ): Promise<FailedBatch> {
    const { id, syncMode } = await findBatch(db, applicationId, { channelCode, channelOrderId });
    const orders = await findKeptOrders(db, id);
    if (orders.some(({ bytes }) => bytes === null)) throw new Refusal('content_expired', channelOrderId, channelCode);
    return { syncMode, parts: this.#readParts(db, splitIntoParts(orders), party, signal) };
  }

  async *#readParts(db: Database, parts: readonly Part[], party: string, signal: AbortSignal): AsyncGenerator<string> {
    const owner = { kind: 'failed orders', party };
    for (const [index, part] of parts.entries()) {
      const release = part.bytes > PART_BYTES ? await this.#largeParts.enter(owner, signal) : () => {};
      try {
        const text = await this.#turns.run(owner, signal, () => readPart(db, part));
        signal.throwIfAborted();
        signal.addEventListener('abort', release, { once: true });
        yield (index === 0 ? '' : ',') + text;
      } finally {
        signal.removeEventListener('abort', release);
        release();
      }
    }
  }
}

async function findKeptOrders(db: Database, id: BatchId): Promise<KeptOrder[]> {
  const { rows } = await sql<KeptOrder>`
    select id, octet_length(content) as bytes from license_order left join failed_order on license_order_id = id
    where id between ${licenseOrderIdOf(id, 0)} and ${licenseOrderIdOf(id, ORDERS_PER_BATCH - 1)} and cause is not null
    order by id`.execute(db);
  return rows;
}

function splitIntoParts(orders: readonly KeptOrder[]): Part[] {
  const parts: Part[] = [];
  for (const { id, bytes } of orders) {
    const part = parts.at(-1);
    if (part === undefined || part.bytes + bytes! > PART_BYTES) parts.push({ ids: [id], bytes: bytes! });
    else {
      part.ids.push(id);
      part.bytes += bytes!;
    }
  }
  return parts;
}

async function readPart(db: Database, { ids }: Part): Promise<string> {
  const { rows } = await sql<{ payload_version: number; content: string }>`
    select payload_version, content from failed_order where license_order_id = any (${ids}::bigint[])
    order by license_order_id`.execute(db);
  if (rows.length !== ids.length) throw new Error('content of failed orders was deleted while it was read');
  return rows.map(({ payload_version, content }) => cutOrderText(payload_version, content)).join(',');
}
