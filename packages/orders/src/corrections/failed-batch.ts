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

/** How much of the orders is read at once, unless one alone is longer: small calls wait for no more than this. */
const PIECE_BYTES = 256 * 1024;
/** Pieces that a process reads at once. */
const PIECES_AT_ONCE = 2;
/** Calls of one application that wait for a piece. */
const MAX_WAITING = 250;
/** Pieces longer than PIECE_BYTES that a process holds at once, until they are taken: each may be 32 MiB. */
const LONG_PIECES = { atOnce: 4, atOnceOfOwner: 2 };

/** The failed orders of a batch, to be read once. */
interface FailedBatch {
  syncMode: SyncMode;
  /**
   * The orders in orderList order, as JSON, with commas between them. Throws what isOverload knows if too many calls of
   * the application wait, or no turn comes in time; an Error if what is left is not kept any more.
   */
  pieces: AsyncIterable<string>;
}

/** Orders that are read at once. */
interface Piece {
  ids: LicenseOrderId[];
  bytes: number;
}

interface KeptOrder {
  id: LicenseOrderId;
  /** Null if what it held is not kept. */
  bytes: number | null;
}

/**
 * Gives out what failed orders held, as they were sent (rules 6.7). They may be 32 MiB: they are read in pieces, each
 * when the one before it has been taken, so a call holds one piece at most, however slowly its client reads. Pieces are
 * read two at a time in a process, the applications in turn; of long ones few are held at once. The text of stored
 * orders is passed on and not parsed.
 */
export class FailedBatchReader {
  readonly #turns = new FairQueue({ atOnce: PIECES_AT_ONCE, maxWaiting: () => MAX_WAITING });
  readonly #longPieces = new FairQueue({ ...LONG_PIECES, maxWaiting: () => MAX_WAITING });

  /**
   * Finds the orders of a batch that have failed so far. `party` takes turns with others: the application, or whoever
   * reads in its place. `signal` ends the wait for a turn, and must abort at the end of the call: then it holds no
   * piece any more, also where nobody goes on with what was opened.
   *
   * Throws a Refusal: batch_not_found, for another application's batch too; content_expired if what one of them held is
   * not kept any more.
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
    return { syncMode, pieces: this.#readPieces(db, splitIntoPieces(orders), party, signal) };
  }

  async *#readPieces(
    db: Database,
    pieces: readonly Piece[],
    party: string,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const owner = { kind: 'failed orders', party };
    for (const [index, piece] of pieces.entries()) {
      const letGo = piece.bytes > PIECE_BYTES ? await this.#longPieces.enter(owner, signal) : () => {};
      try {
        const text = await this.#turns.run(owner, signal, () => readPiece(db, piece));
        signal.throwIfAborted();
        signal.addEventListener('abort', letGo, { once: true });
        yield (index === 0 ? '' : ',') + text;
      } finally {
        signal.removeEventListener('abort', letGo);
        letGo();
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

function splitIntoPieces(orders: readonly KeptOrder[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { id, bytes } of orders) {
    const piece = pieces.at(-1);
    if (piece === undefined || piece.bytes + bytes! > PIECE_BYTES) pieces.push({ ids: [id], bytes: bytes! });
    else {
      piece.ids.push(id);
      piece.bytes += bytes!;
    }
  }
  return pieces;
}

async function readPiece(db: Database, { ids }: Piece): Promise<string> {
  const { rows } = await sql<{ payload_version: number; content: string }>`
    select payload_version, content from failed_order where license_order_id = any (${ids}::bigint[])
    order by license_order_id`.execute(db);
  if (rows.length !== ids.length) throw new Error('What failed orders held was deleted while it was read');
  return rows.map(({ payload_version, content }) => cutOrderText(payload_version, content)).join(',');
}
