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

/** Rows that one statement inserts: some milliseconds' work for the event loop. */
const INSERTED_AT_ONCE = 2_000;
/** Rows that one statement updates. They have few columns to send. */
const UPDATED_AT_ONCE = 10_000;
/** Characters that one statement writes, if it has more than a row: it takes several times as much memory. */
const CHARACTERS_AT_ONCE = 4 * 1024 * 1024;

/**
 * Stores what a ledger's orders have changed, a statement for each kind of change, in the transaction that loaded it.
 * Revocations go first, so that a number that was revoked and bought again is free when it is inserted; an asset goes
 * before what is on it. Many rows are written some at a time, so that others have the event loop in between. It does
 * not wait for the last statements: their errors come with the next answer, or with the commit.
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
  // Transfers first: another order holds something, or another customer owns it, only because of one of them.
  await inParts(trx, changes.transfers, INSERTED_AT_ONCE, (part) => insertTransfers(trx, part));
  // What was revoked by itself, then the rest of what was under a grant, and then the grant.
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
  // Before new assets and what is on them, because others that bring the same terms wait for them.
  const terms = collectTerms(newProducts);
  await inParts(
    trx,
    [...terms],
    INSERTED_AT_ONCE,
    (part) => insertTerms(trx, part),
    ([text]) => text.length,
  );
  // Sorted, as they are locked: transactions that insert the same numbers wait rather than deadlock.
  const newAssets = [...changes.newAssets].sort(compareNumbers);
  await inParts(trx, newAssets, INSERTED_AT_ONCE, (part) => insertAssets(trx, part), lengthOfAsset);
  await inParts(trx, changes.newGrants, INSERTED_AT_ONCE, (part) => insertGrants(trx, part));
  await inParts(trx, newMerchandises, INSERTED_AT_ONCE, (part) => insertMerchandises(trx, part), lengthOfMerchandise);
  await inParts(trx, newProducts, INSERTED_AT_ONCE, (part) => insertProducts(trx, part, terms), lengthOfProduct);
}

/**
 * Writes rows some at a time. What is sent ahead takes memory until PostgreSQL has it, so each part waits for the last.
 * `lengthOf`: the characters of a row, where they may be many.
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

/** Grants to be written, and those of which the database has contents that were revoked or taken over with them. */
function sortGrants(changedGrants: LedgerChanges['changedGrants']) {
  const grants = [...changedGrants].map(([grant, asset]) => ({ grant, asset }));
  const ended = grants.filter(({ grant }) => grant.revokedBy !== null);
  return {
    grants,
    withProducts: ended.filter(({ grant }) => grant.stored!.products > 0),
    withMerchandises: ended.filter(({ grant }) => grant.stored!.merchandises > 0),
  };
}

const compareNumbers = (a: Asset, b: Asset) => (a.assetNum < b.assetNum ? -1 : 1);

/** Those that are stored already. */
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

/** Rows that one draw from the sequence ledger_id is good for; its increment in the migration. */
const IDS_PER_BLOCK = 1_000;

const drawingBlocks = (blocks: number): Statement<{ id: string }> => ({
  name: 'draw_ledger_ids',
  text: "select nextval('ledger_id') as id from generate_series(1, $1::int)",
  values: [blocks],
});

/**
 * Hands out ids for new assets, merchandises and products, in blocks that no other process has. What a crash leaves
 * over of a block is a gap.
 */
export class LedgerIds {
  #spare: { next: bigint; left: number }[] = [];

  /** Takes `count` ids that nobody else gets. What it drew stays drawn if the transaction rolls back. */
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
