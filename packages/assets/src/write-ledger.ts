import type { LicenseOrderId } from '@lockstep/contract';
import { type Trx, untilAnswered } from '@lockstep/platform';
import { heldBy } from './grants.ts';
import { insertAssets, insertGrants, insertMerchandises, insertProducts, insertTransfers } from './insert-ledger.ts';
import type { Asset, Instance, Ledger, LedgerChanges } from './ledger.ts';
import type { LedgerIds } from './ledger-ids.ts';
import { releaseAssets, revokeGrants, revokeRows, updateAssets, updateHolders } from './update-ledger.ts';

/** Rows that one statement inserts: some milliseconds' work for the event loop. */
const ROWS_AT_ONCE = 2_000;

/**
 * Stores what a ledger's orders have changed, a statement for each kind of change, in the transaction that loaded it.
 * Revocations go first, so that a number that was revoked and bought again is free when it is inserted; an asset goes
 * before what is on it. Many rows are inserted some at a time, so that others have the event loop in between. It does not
 * wait for the last statements: their errors come with the next answer, or with the commit.
 */
export async function writeLedger(trx: Trx, ledger: Ledger, ids: LedgerIds): Promise<void> {
  const { changes } = ledger;
  const transferred = [...new Set(changes.transfers.map(({ asset }) => asset))];
  const newGrants = new Set(changes.newGrants.map(({ grant }) => grant));
  const stored = {
    heldProducts: findHeldAnew(transferred.flatMap(({ products }) => products)),
    heldMerchandises: findHeldAnew(transferred.flatMap(({ merchandises }) => merchandises)),
    revokedProducts: findStored(changes.revokedProducts),
    revokedMerchandises: findStored(changes.revokedMerchandises),
    revokedGrants: changes.revokedGrants.filter(({ grant }) => !newGrants.has(grant)),
    released: findStored(changes.releasedAssets).map(({ id }) => id),
    changed: findStored(changes.changedAssets),
    revokedAssets: findStored(changes.revokedAssets),
  };
  await assignIds(trx, changes, ids);
  // Transfers first: another order holds something, or another customer owns it, only because of one of them.
  await inParts(trx, changes.transfers, (part) => insertTransfers(trx, part));
  await unlessNone(stored.heldProducts, (held) => updateHolders(trx, 'product_instance', held));
  await unlessNone(stored.heldMerchandises, (held) => updateHolders(trx, 'merchandise_instance', held));
  await unlessNone(stored.revokedProducts, (revoked) => revokeRows(trx, 'product_instance', revoked));
  await unlessNone(stored.revokedMerchandises, (revoked) => revokeRows(trx, 'merchandise_instance', revoked));
  await unlessNone(stored.revokedGrants, (revoked) => revokeGrants(trx, revoked));
  await unlessNone(stored.released, (released) => releaseAssets(trx, released));
  await unlessNone(stored.changed, (changed) => updateAssets(trx, changed));
  await unlessNone(stored.revokedAssets, (revoked) => revokeRows(trx, 'asset', revoked));
  // Sorted, as they are locked: transactions that insert the same numbers wait rather than deadlock.
  await inParts(trx, [...changes.newAssets].sort(compareNumbers), (part) => insertAssets(trx, part));
  await inParts(trx, changes.newGrants, (part) => insertGrants(trx, part));
  await inParts(trx, changes.newMerchandises, (part) => insertMerchandises(trx, part));
  await inParts(trx, changes.newProducts, (part) => insertProducts(trx, part));
}

async function unlessNone<Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  if (items.length > 0) await write(items);
}

/** Inserts rows some at a time. What is sent ahead takes memory until PostgreSQL has it, so each part waits for the last. */
async function inParts<Item>(trx: Trx, items: readonly Item[], insert: (part: Item[]) => Promise<void>): Promise<void> {
  for (let first = 0; first < items.length; first += ROWS_AT_ONCE) {
    if (first > 0) await untilAnswered(trx);
    await insert(items.slice(first, first + ROWS_AT_ONCE));
  }
}

const compareNumbers = (a: Asset, b: Asset) => (a.assetNum < b.assetNum ? -1 : 1);

/** Those that are stored already. */
function findStored<Thing extends { id: string | null }>(things: Iterable<Thing>): (Thing & { id: string })[] {
  return [...things].filter((thing): thing is Thing & { id: string } => thing.id !== null);
}

/** Stored instances whose holder changed. */
function findHeldAnew(instances: readonly Instance[]): { id: string; heldBy: LicenseOrderId }[] {
  return findStored(instances)
    .map((instance) => ({ id: instance.id, heldBy: heldBy(instance), storedHeldBy: instance.storedHeldBy }))
    .filter((each) => each.heldBy !== each.storedHeldBy);
}

async function assignIds(trx: Trx, changes: LedgerChanges, ids: LedgerIds): Promise<void> {
  const created = [
    ...changes.newAssets,
    ...changes.newMerchandises.map((effect) => effect.merchandise),
    ...changes.newProducts.map((effect) => effect.product),
  ];
  const taken = await ids.take(trx, created.length);
  for (const [index, instance] of created.entries()) instance.id = taken[index]!;
}
