import { type Database, FairQueue, inSnapshot, run, type Statement, type Trx } from '@lockstep/platform';
import { type Contents, openContents, PIECE_BYTES } from './contents.ts';
import { type ContentsPlan, InstancesByParent, type PlannedAsset, planContents } from './plan.ts';
import { readingMerchandises, readingProducts } from './rows.ts';

/** Pieces, and plans, that a process reads at once, and reads of one party that wait for a turn. */
export const READ_TURNS = { atOnce: 2, maxWaiting: () => 250 };
/**
 * Answers of several pieces that one party reads at once, and those that wait: a plan takes up to a megabyte. They are
 * few, so that those that have begun end in time.
 */
export const LONG_ANSWERS = { atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 2, maxWaiting: () => 100 };
/** What holds more is huge. One asset never does, but there is no limit to what is lent into a lock. */
const HUGE_COUNT = 20_000;
/** A plan of a million instances takes a hundred megabytes and more. */
const HUGE = { atOnce: 1, maxWaiting: () => 2 };

/** A read of contents: for whom, in turn with others. */
export interface ContentsCall {
  db: Database;
  kind: string;
  /** Who takes turns with others: an application or an enterprise. */
  party: string;
  /** Ends what waits. It must abort at the end of the call: then what the call holds is given back. */
  signal: AbortSignal;
}

/**
 * Reads what is on assets. That may be ten megabytes an asset, so it is read in pieces, each when somebody asks for it:
 * reads take turns piece by piece, and while a client reads its answer the call holds no connection and no turn. All of
 * an answer is of one moment: which instances are active, and what of them may change, is noted at the beginning.
 */
export class ContentsReader {
  readonly #turns = new FairQueue(READ_TURNS);
  readonly #long = new FairQueue(LONG_ANSWERS);
  readonly #huge = new FairQueue(HUGE);

  /**
   * Opens the contents of the assets that `find` returns, which reads in the same snapshot. Throws what `find` throws,
   * and what isOverload knows if too much of the party waits or no turn comes before `signal` aborts. Asking for the
   * contents throws the latter, too.
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

  /** Takes a place for a long answer, until the call ends. */
  async #takePlace({ bytes, count }: ContentsPlan, { kind, party, signal }: ContentsCall): Promise<void> {
    if (bytes <= PIECE_BYTES) return;
    const places = count > HUGE_COUNT ? this.#huge : this.#long;
    await places.hold({ kind, party }, signal);
  }
}
