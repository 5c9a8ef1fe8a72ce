import type { Trx } from '@lockstep/platform';
import type { LedgerIds } from '../../ids.ts';
import type { Numbers } from '../../ledger/grants.ts';
import type { Asset, Ledger, LedgerChanges } from '../../ledger/ledger.ts';
import {
  collectTerms,
  insertAssets,
  insertGrants,
  insertMerchandises,
  insertProducts,
  insertTerms,
  insertTransfers,
} from './insert.ts';
import {
  type EndedGrant,
  endGrants,
  releaseAssets,
  revokeAssets,
  revokeInstances,
  updateAssets,
  updateContents,
} from './update.ts';

/**
 * Stores the changes of a ledger in the transaction that loaded it, one statement per kind of change. Revocations go
 * first, so that a number that was revoked and bought again is free; assets and grants go before their contents. It
 * does not wait for the statements: their errors come with the next answer or the commit.
 */
export async function writeLedger(trx: Trx, ledger: Ledger, ids: LedgerIds): Promise<void> {
  const { changes } = ledger;
  const released = findStored(changes.releasedAssets).map(({ id }) => id);
  const changed = findStored(changes.changedAssets);
  const revokedAssets = findStored(changes.revokedAssets);
  await assignIds(trx, changes, ids);
  // Transfers first: a change of holder or customer requires one.
  await insertTransfers(trx, changes.transfers);
  // Contents revoked by themselves, then the rest of a grant's contents, then the grant.
  const revokedProducts = [...changes.revokedProducts.values()].map(({ product }) => product);
  await revokeInstances(trx, 'product_instance', revokedProducts);
  await revokeInstances(trx, 'merchandise_instance', changes.revokedMerchandises);
  const ended = [...changes.endedGrants].map(([grant, asset]): EndedGrant => ({ grant, asset }));
  // Most grants hold no merchandise, which is known of those that were counted.
  const withSome = (kind: keyof Numbers) => ended.filter(({ grant }) => grant.stored?.counted?.[kind] !== 0);
  await updateContents(trx, 'product_instance', withSome('products'));
  await updateContents(trx, 'merchandise_instance', withSome('merchandises'));
  await endGrants(trx, ended);
  await releaseAssets(trx, released);
  await updateAssets(trx, changed);
  await revokeAssets(trx, revokedAssets);
  const terms = collectTerms(changes.newProducts);
  await insertTerms(trx, terms);
  for (const newAssets of listInTurns(changes.newAssets)) {
    await insertAssets(trx, newAssets);
    await revokeAssets(
      trx,
      newAssets.filter(({ revokedBy }) => revokedBy !== null),
    );
  }
  await insertGrants(trx, changes.newGrants);
  await insertMerchandises(trx, changes.newMerchandises);
  await insertProducts(trx, changes.newProducts, terms);
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
  const taken = await ids.take(trx, created.length);
  for (const [index, instance] of created.entries()) instance.id = taken[index]!;
}
