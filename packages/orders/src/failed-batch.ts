import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import {
  type ApplicationId,
  type FailedOrdersQuery,
  type LicenseOrderId,
  Refusal,
  type SyncMode,
} from '@lockstep/contract';
import { type Database, FairQueue } from '@lockstep/platform';
import { sql } from 'kysely';
import { findBatch } from './batch.ts';
import { cutOrderText } from './stored-orders.ts';

/** How much of the orders is read at once, unless one alone is longer: small calls wait for no more than this. */
const PIECE_BYTES = 256 * 1024;
/** Pieces that a process reads at once. */
const PIECES_AT_ONCE = 2;
/** Calls of one application that wait for a piece. */
const MAX_WAITING = 250;

/** The failed orders of a batch, to be read once. */
interface FailedBatch {
  syncMode: SyncMode;
  /**
   * The orders in orderList order, as JSON, with commas between them. Throws what isOverload knows if too many calls of
   * the application wait, or no turn comes in time; an Error if what is left is not kept any more.
   */
  pieces: AsyncIterable<string>;
}

interface KeptOrder {
  id: LicenseOrderId;
  /** Null if what it held is not kept. */
  bytes: number | null;
}

/**
 * Gives out what failed orders held, as they were sent (rules 6.7). They may be 32 MiB: they are read in pieces, each when
 * the one before it has been taken, so a call holds one piece at most, however slowly its client reads. Pieces are read
 * two at a time in a process, the applications in turn. The text of stored orders is passed on and not parsed.
 */
export class FailedBatchReader {
  readonly #turns = new FairQueue({ atOnce: PIECES_AT_ONCE, maxWaiting: () => MAX_WAITING });

  /**
   * Finds the orders of a batch that have failed so far. `signal` ends the wait for a turn.
   *
   * Throws a Refusal: batch_not_found, for another application's batch too; content_expired if what one of them held is
   * not kept any more.
   */
  async open(
    db: Database,
    applicationId: ApplicationId,
    { channelCode, channelOrderId }: FailedOrdersQuery,
    signal: AbortSignal,
  ): Promise<FailedBatch> {
    const { id, syncMode } = await findBatch(db, applicationId, { channelCode, channelOrderId });
    const { rows } = await sql<KeptOrder>`
      select id, octet_length(content) as bytes from license_order left join failed_order on license_order_id = id
      where id between ${licenseOrderIdOf(id, 0)} and ${licenseOrderIdOf(id, ORDERS_PER_BATCH - 1)} and cause is not null
      order by id`.execute(db);
    if (rows.some(({ bytes }) => bytes === null)) throw new Refusal('content_expired', channelOrderId, channelCode);
    const owner = { kind: 'failed orders', party: applicationId };
    const inTurn = (ids: LicenseOrderId[]) => this.#turns.run(owner, signal, () => readPiece(db, ids));
    return { syncMode, pieces: readPieces(splitIntoPieces(rows), inTurn) };
  }
}

async function* readPieces(
  pieces: LicenseOrderId[][],
  read: (ids: LicenseOrderId[]) => Promise<string>,
): AsyncGenerator<string> {
  for (const [index, ids] of pieces.entries()) yield (index === 0 ? '' : ',') + (await read(ids));
}

function splitIntoPieces(orders: readonly KeptOrder[]): LicenseOrderId[][] {
  const pieces: LicenseOrderId[][] = [];
  let left = 0;
  for (const { id, bytes } of orders) {
    if (bytes! > left) {
      pieces.push([]);
      left = PIECE_BYTES;
    }
    pieces.at(-1)!.push(id);
    left -= bytes!;
  }
  return pieces;
}

async function readPiece(db: Database, ids: LicenseOrderId[]): Promise<string> {
  const { rows } = await sql<{ payload_version: number; content: string }>`
    select payload_version, content from failed_order where license_order_id = any (${ids}::bigint[])
    order by license_order_id`.execute(db);
  if (rows.length !== ids.length) throw new Error('What failed orders held was deleted while it was read');
  return rows.map(({ payload_version, content }) => cutOrderText(payload_version, content)).join(',');
}
