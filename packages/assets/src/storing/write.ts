import { run, type Statement, type Trx, untilAnswered } from '@lockstep/platform';
import type { Asset, Ledger, LedgerChanges } from '../ledger/ledger.ts';
import {
  collectTerms,
  insertAssets,
  insertGrants,
  insertMerchandises,
  insertProducts,
  insertTerms,
  insertTransfers,
  lengthOfAsset,
  lengthOfMerchandise,
  lengthOfProduct,
} from './insert.ts';
import {
  releaseAssets,
  revokeAssets,
  revokeProducts,
  updateAssets,
  updateContents,
  updateGrants,
  updateMerchandises,
  updateNumbers,
} from './update.ts';

/** How many rows one statement inserts: some milliseconds of the event loop. */
const INSERTED_AT_ONCE = 2_000;
/** How many rows one statement updates; these have few columns to send. */
const UPDATED_AT_ONCE = 10_000;
/**
 * The most characters that one statement with more than one row writes, because it takes several times as much memory.
 */
const CHARACTERS_AT_ONCE = 4 * 1024 * 1024;

/**
 * Stores the changes of a ledger in the transaction that loaded it, one statement per kind of change. Revocations go
 * first, so that a number that was revoked and bought again is free; assets go before their contents. Many rows are
 * written in parts, between which the event loop can run other work. It does not wait for the last statements: their
 * errors come with the next answer or the commit.
 */
export async function writeLedger(trx: Trx, ledger: Ledger, ids: LedgerIds): Promise<void> {
  const { changes } = ledger;
  const stored = {
    revokedProducts: [...changes.revokedProducts.values()].map(({ product }) => product),
    merchandises: [...changes.changedMerchandises],
    ...sortGrants(changes.changedGrants),
    released: findStored(changes.releasedAssets),
    changed: findStored(changes.changedAssets),
    counted: [...changes.countedAssets.difference(changes.changedAssets).difference(changes.revokedAssets)],
    revokedAssets: findStored(changes.revokedAssets),
  };
  await assignIds(trx, changes, ids);
  // Transfers first: a change of holder or customer requires one.
  await inParts(trx, changes.transfers, INSERTED_AT_ONCE, (part) => insertTransfers(trx, part));
  // Contents revoked by themselves, then the rest of a grant's contents, then the grant.
  await inParts(trx, stored.revokedProducts, UPDATED_AT_ONCE, (part) => revokeProducts(trx, part));
  await inParts(trx, stored.merchandises, UPDATED_AT_ONCE, (part) => updateMerchandises(trx, part));
  await inParts(trx, stored.withProducts, UPDATED_AT_ONCE, (part) => updateContents(trx, 'product_instance', part));
  await inParts(trx, stored.withMerchandises, UPDATED_AT_ONCE, (part) =>
    updateContents(trx, 'merchandise_instance', part),
  );
  await inParts(trx, stored.grants, UPDATED_AT_ONCE, (part) => updateGrants(trx, part));
  await inParts(trx, stored.released, UPDATED_AT_ONCE, (part) =>
    releaseAssets(
      trx,
      part.map(({ id }) => id),
    ),
  );
  await inParts(trx, stored.changed, INSERTED_AT_ONCE, (part) => updateAssets(trx, part), lengthOfAsset);
  await inParts(trx, stored.counted, UPDATED_AT_ONCE, (part) => updateNumbers(trx, part));
  await inParts(trx, stored.revokedAssets, UPDATED_AT_ONCE, (part) => revokeAssets(trx, part));
  const { newMerchandises, newProducts } = changes;
  const terms = collectTerms(newProducts);
  await inParts(
    trx,
    [...terms],
    INSERTED_AT_ONCE,
    (part) => insertTerms(trx, part),
    ([text]) => text.length,
  );
  for (const newAssets of listInTurns(changes.newAssets)) {
    await inParts(trx, newAssets, INSERTED_AT_ONCE, (part) => insertAssets(trx, part), lengthOfAsset);
    const revoked = newAssets.filter(({ revokedBy }) => revokedBy !== null);
    await inParts(trx, revoked, UPDATED_AT_ONCE, (part) => revokeAssets(trx, part));
  }
  await inParts(trx, changes.newGrants, INSERTED_AT_ONCE, (part) => insertGrants(trx, part));
  await inParts(trx, newMerchandises, INSERTED_AT_ONCE, (part) => insertMerchandises(trx, part), lengthOfMerchandise);
  await inParts(trx, newProducts, INSERTED_AT_ONCE, (part) => insertProducts(trx, part, terms), lengthOfProduct);
}

/**
 * Writes rows in parts. Statements in flight take memory until PostgreSQL has them, so each part waits for the one
 * before. `lengthOf`: the characters of a row, if there may be many.
 */
async function inParts<Item>(
  trx: Trx,
  items: readonly Item[],
  atOnce: number,
  write: (part: Item[]) => Promise<void>,
  lengthOf: (item: Item) => number = () => 0,
): Promise<void> {
  let part: Item[] = [];
  let characters = 0;
  for (const item of items) {
    characters += lengthOf(item);
    if (part.length === atOnce || (part.length > 0 && characters > CHARACTERS_AT_ONCE)) {
      await write(part);
      await untilAnswered(trx);
      part = [];
      characters = lengthOf(item);
    }
    part.push(item);
  }
  if (part.length > 0) await write(part);
}

/** Returns the grants to write, and those whose stored contents were revoked or taken over with them. */
function sortGrants(changedGrants: LedgerChanges['changedGrants']) {
  const grants = [...changedGrants].map(([grant, asset]) => ({ grant, asset }));
  const ended = grants.filter(({ grant }) => grant.revokedBy !== null);
  return {
    grants,
    withProducts: ended.filter(({ grant }) => grant.stored!.products > 0),
    withMerchandises: ended.filter(({ grant }) => grant.stored!.merchandises > 0),
  };
}

/**
 * Lists new assets so that each number occurs once in a list, sorted in the order of locking, so that transactions that
 * insert the same numbers wait and never deadlock. Each is inserted as active, even if it was revoked since, so that
 * the unique index decides which of two transactions bought a number first.
 */
function listInTurns(newAssets: ReadonlySet<Asset>): Asset[][] {
  const turns: Asset[][] = [];
  const bought = new Map<string, number>();
  for (const asset of newAssets) {
    const turn = bought.get(asset.assetNum) ?? 0;
    bought.set(asset.assetNum, turn + 1);
    turns[turn] ??= [];
    turns[turn].push(asset);
  }
  for (const assets of turns) assets.sort((a, b) => (a.assetNum < b.assetNum ? -1 : 1));
  return turns;
}

/** Returns those that are stored. */
function findStored<Thing extends { id: string | null }>(things: Iterable<Thing>): (Thing & { id: string })[] {
  return [...things].filter((thing): thing is Thing & { id: string } => thing.id !== null);
}

async function assignIds(trx: Trx, changes: LedgerChanges, ids: LedgerIds): Promise<void> {
  const created = [
    ...changes.newAssets,
    ...changes.newMerchandises.map((effect) => effect.merchandise),
    ...changes.newProducts.map((effect) => effect.product),
  ];
  for (let first = 0; first < created.length; first += UPDATED_AT_ONCE) {
    const part = created.slice(first, first + UPDATED_AT_ONCE);
    const taken = await ids.take(trx, part.length);
    for (const [index, instance] of part.entries()) instance.id = taken[index]!;
  }
}

/** How many rows one draw from the sequence ledger_id covers; the sequence's increment in the migration. */
const IDS_PER_BLOCK = 1_000;

const drawingBlocks = (blocks: number): Statement<{ id: string }> => ({
  name: 'draw_ledger_ids',
  text: "select nextval('ledger_id') as id from generate_series(1, $1::int)",
  values: [blocks],
});

/**
 * Assigns ids to new assets, merchandise and products, in blocks that no other process has. A crash leaves the rest of
 * a block as a gap.
 */
export class LedgerIds {
  #spare: { next: bigint; left: number }[] = [];

  /** Returns `count` unique ids. They stay taken even if the transaction rolls back. */
  async take(trx: Trx, count: number): Promise<string[]> {
    for (let missing = count - this.#countLeft(); missing > 0; missing = count - this.#countLeft()) {
      const blocks = Math.ceil(missing / IDS_PER_BLOCK);
      const rows = await run(trx, drawingBlocks(blocks));
      this.#spare.push(...rows.map(({ id }) => ({ next: BigInt(id), left: IDS_PER_BLOCK })));
    }
    return Array.from({ length: count }, () => this.#takeOne());
  }

  #countLeft(): number {
    return this.#spare.reduce((sum, block) => sum + block.left, 0);
  }

  #takeOne(): string {
    const block = this.#spare[0]!;
    if (--block.left === 0) this.#spare.shift();
    return String(block.next++);
  }
}
