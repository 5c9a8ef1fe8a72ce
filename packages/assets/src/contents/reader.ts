import { type Database, FairQueue, inSnapshot, run, type Statement, type Trx } from '@lockstep/platform';
import { type Contents, openContents, PIECE_BYTES } from './contents.ts';
import { type ContentsPlan, InstancesByParent, type PlannedAsset, planContents } from './plan.ts';
import { readingMerchandises, readingProducts } from './rows.ts';

/** How many pieces and plans a process reads at once, and how many reads of one party may be queued. */
export const READ_TURNS = { atOnce: 2, maxWaiting: () => 250 };
/**
 * How many answers of several pieces one party may read at once, and how many may be queued, because a plan takes up to
 * a megabyte. The number is small so that answers in progress finish in time.
 */
export const LONG_ANSWERS = { atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 2, maxWaiting: () => 100 };
/** An answer with more instances is huge. One asset never has that many, but a lock may hold any number of loans. */
const HUGE_COUNT = 20_000;
/** A plan of a million instances takes more than a hundred megabytes. */
const HUGE = { atOnce: 1, maxWaiting: () => 2 };

/** A read of contents, and the party it counts for. */
export interface ContentsCall {
  db: Database;
  kind: string;
  /** The application or enterprise that gets a fair share. */
  party: string;
  /** Aborts waiting. It must abort when the call ends; then everything the call holds is released. */
  signal: AbortSignal;
}

/**
 * Reads the contents of assets. An asset may have ten megabytes, so they are read in pieces on demand. Parties take
 * turns piece by piece, and while a client reads its answer, the call holds no connection and no slot. An answer is
 * consistent: which instances are active, and what may change in them, is recorded at the beginning.
 */
export class ContentsReader {
  readonly #turns = new FairQueue(READ_TURNS);
  readonly #long = new FairQueue(LONG_ANSWERS);
  readonly #huge = new FairQueue(HUGE);

  /**
   * Opens the contents of the assets that `find` returns, which reads in the same snapshot. Throws what `find` throws,
   * and an error for which isOverload is true if too many reads of the party are queued or no slot is free before
   * `signal` aborts. Reading the contents may throw the latter too.
   */
  async open<Found extends { assets: readonly PlannedAsset[] }>(
    call: ContentsCall,
    find: (trx: Trx) => Promise<Found>,
  ): Promise<{ found: Found; contents: Contents }> {
    const { db, signal, kind, party } = call;
    const owner = { kind, party };
    const { found, plan } = await this.#turns.run(owner, signal, () =>
      inSnapshot(db, async (trx) => {
        const found = await find(trx);
        return { found, plan: await planContents(trx, found.assets) };
      }),
    );
    await this.#takePlace(plan, call);
    const read = <Row>(statement: Statement<Row>) => this.#turns.run(owner, signal, () => run(db, statement));
    const contents = openContents({
      assets: new Map(plan.assets.map((asset) => [asset.assetId, asset])),
      merchandises: await InstancesByParent.of(plan.merchandises),
      products: await InstancesByParent.of(plan.products),
      readMerchandises: (piece) => read(readingMerchandises(piece)),
      readProducts: (piece) => read(readingProducts(piece)),
    });
    return { found, contents };
  }

  /** Takes a slot for a long answer until the call ends. */
  async #takePlace({ bytes, count }: ContentsPlan, { kind, party, signal }: ContentsCall): Promise<void> {
    if (bytes <= PIECE_BYTES) return;
    const places = count > HUGE_COUNT ? this.#huge : this.#long;
    await places.hold({ kind, party }, signal);
  }
}
