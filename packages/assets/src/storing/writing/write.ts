import type { AssetId, LicenseOrderId, MemberId } from '@lockstep/contract';
import { storeContacts } from '@lockstep/customers';
import { arrayText, bigintArray, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { LedgerIds } from '../../ids.ts';
import { endingOf, type Grant, heldBy, type Numbers } from '../../ledger/grants.ts';
import type { Asset, Ledger, LedgerChanges, MerchandiseInstance, ProductInstance } from '../../ledger/ledger.ts';
import {
  collectTerms,
  insertAssets,
  insertGrants,
  insertMerchandises,
  insertProducts,
  insertTerms,
  insertTransfers,
  writeExtends,
} from './insert.ts';

/**
 * Stores the changes of a ledger in the transaction that loaded it, one statement per kind of change. Revocations go
 * first, so that a number that was revoked and bought again is free; assets and grants go before their contents. It
 * does not wait for the statements: their errors come with the next answer or the commit.
 */
export async function writeLedger(trx: Trx, ledger: Ledger, ids: LedgerIds): Promise<void> {
  const { changes } = ledger;
  await storeContacts(trx, changes.contacts);
  const released = findStored(changes.releasedAssets.keys()).map(
    (asset) => [asset.id, changes.releasedAssets.get(asset)!] as const,
  );
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
  await releaseAssets(trx, new Map(released));
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

/**
 * SQL for the time of a change to a stored row: never before its creation, even if the clock was set back. It is the
 * statement's time; the transaction's would precede its locks, and so the changes that it waited for.
 */
const NOW_TEXT = 'greatest(created_time, statement_timestamp())';
export const NOW = sql.raw<Date>(NOW_TEXT);

// Without rows, each is a no-op. Updates find their rows by `any`, and so through the index, whatever the size of the
// table when they were planned. Its array has each asset once: PostgreSQL may scan it for each row of the others, and
// an asset may have thousands of grants.

type Contents = 'merchandise_instance' | 'product_instance';

/**
 * Stores products or merchandise that were revoked by themselves, each with its order. If an order had taken one over,
 * that order stays its holder.
 */
async function revokeInstances(
  trx: Trx,
  table: Contents,
  revoked: readonly (ProductInstance | MerchandiseInstance)[],
): Promise<void> {
  if (revoked.length === 0) return;
  await send(trx, {
    name: `revoke_${table}`,
    text: `
      update ${table} as instance set held_by_order_id = coalesce(revoked.held_by, held_by_order_id),
        revoked_time = ${NOW_TEXT}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as revoked (id, held_by, order_id)
      where instance.id = any ((select $1::bigint[])::bigint[]) and instance.id = revoked.id`,
    values: [
      bigintArray(revoked.map(({ id }) => id)),
      bigintArray(revoked.map(holderSince)),
      bigintArray(revoked.map(({ revokedBy }) => revokedBy)),
    ],
  });
}

/** Returns the order that has taken over a stored instance since it was loaded; null if none has. */
function holderSince(instance: ProductInstance | MerchandiseInstance): LicenseOrderId | null {
  const holderId = heldBy(instance);
  return holderId === instance.storedHeldBy ? null : holderId;
}

/** A stored grant that was revoked or taken over. */
interface EndedGrant {
  asset: Asset;
  grant: Grant;
}

/** Stores what happened to the remaining contents of ended grants: an order took them over, revoked them, or both. */
async function updateContents(trx: Trx, table: Contents, ended: readonly EndedGrant[]): Promise<void> {
  if (ended.length === 0) return;
  const endings = ended.map(({ grant }) => endingOf(grant));
  await send(trx, {
    name: `update_contents_${table}`,
    text: `
      update ${table} as instance set
        held_by_order_id = coalesce(ending.held_by, held_by_order_id),
        revoked_time = case when ending.revoked_by is not null then ${NOW_TEXT} end,
        revoked_by_order_id = ending.revoked_by,
        updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
        as ending (asset_id, holder_id, held_by, revoked_by)
      where instance.asset_id = any ((select $5::bigint[])::bigint[]) and revoked_time is null
        and instance.asset_id = ending.asset_id and coalesce(held_by_order_id, license_order_id) = ending.holder_id`,
    values: [
      bigintArray(ended.map(({ asset }) => asset.id)),
      bigintArray(ended.map(({ grant }) => grant.licenseOrderId)),
      bigintArray(
        endings.map((ending, index) => (ending.heldBy === ended[index]!.grant.licenseOrderId ? null : ending.heldBy)),
      ),
      bigintArray(endings.map(({ revokedBy }) => revokedBy)),
      bigintArray(onceEach(ended)),
    ],
  });
}

/** Stores ended grants, each with the order that revoked it or took it over. */
async function endGrants(trx: Trx, ended: readonly EndedGrant[]): Promise<void> {
  if (ended.length === 0) return;
  await send(trx, {
    name: 'end_grants',
    text: `
      update asset_grant set revoked_time = ${NOW_TEXT}, revoked_by_order_id = ended.revoked_by
      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as ended (asset_id, license_order_id, revoked_by)
      where asset_grant.asset_id = any ((select $4::bigint[])::bigint[]) and asset_grant.asset_id = ended.asset_id
        and asset_grant.license_order_id = ended.license_order_id`,
    values: [
      bigintArray(ended.map(({ asset }) => asset.id)),
      bigintArray(ended.map(({ grant }) => grant.licenseOrderId)),
      bigintArray(ended.map(({ grant }) => grant.revokedBy)),
      bigintArray(onceEach(ended)),
    ],
  });
}

/** Returns the ids of the assets of grants. */
const onceEach = (grants: readonly EndedGrant[]) => [...new Set(grants.map(({ asset }) => asset.id))];

/** Stores revoked assets, each with its order. */
async function revokeAssets(trx: Trx, revoked: readonly Asset[]): Promise<void> {
  if (revoked.length === 0) return;
  await send(trx, {
    name: 'revoke_assets',
    text: `
      update asset set revoked_time = ${NOW_TEXT}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[]) as revoked (id, order_id)
      where asset.id = any ((select $1::bigint[])::bigint[]) and asset.id = revoked.id`,
    values: [bigintArray(revoked.map(({ id }) => id)), bigintArray(revoked.map(({ revokedBy }) => revokedBy))],
  });
}

/** Stores changed assets. Extended attributes are added to the stored ones or replace them. */
async function updateAssets(trx: Trx, changed: readonly Asset[]): Promise<void> {
  if (changed.length === 0) return;
  await send(trx, {
    name: 'update_assets',
    text: `
      update asset set customer_id = c.customer_id, limit_start_date = c.limit_start_date,
        limit_end_date = c.limit_end_date, borrowed_usb_key = c.borrowed_usb_key,
        extends = coalesce(asset.extends || c.extends, c.extends, asset.extends), updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::jsonb[])
        as c (id, customer_id, limit_start_date, limit_end_date, borrowed_usb_key, extends)
      where asset.id = any ((select $1::bigint[])::bigint[]) and asset.id = c.id`,
    values: [
      bigintArray(changed.map((asset) => asset.id)),
      bigintArray(changed.map((asset) => asset.customerId)),
      bigintArray(changed.map((asset) => asset.limitStartDate)),
      bigintArray(changed.map((asset) => asset.limitEndDate)),
      arrayText(
        'boolean',
        changed.map((asset) => asset.borrowedUsbKey),
      ),
      arrayText('jsonb', changed.map(writeExtends)),
    ],
  });
}

/**
 * Releases assets: ends their assignments, their loans, and loans into them as locks, and records who ended each (rules
 * 8): an administrator, or of the orders that released the assets, listed in their order, the first.
 */
export async function releaseAssets(
  trx: Trx,
  released:
    | ReadonlyMap<AssetId, LicenseOrderId>
    | { ids: readonly AssetId[]; by: MemberId; cause: 'withdrawn' | 'employee_deleted' },
): Promise<void> {
  const byOrder = 'by' in released ? [] : [...released].map(([id, orderId], place) => [id, [place, orderId]]);
  const ids = 'by' in released ? released.ids : [...released.keys()];
  if (ids.length === 0) return;
  const [by, cause] = 'by' in released ? [released.by, released.cause] : [null, null];
  const values = [bigintArray(ids), JSON.stringify(Object.fromEntries(byOrder)), by, cause];
  const orderOf = (id: string) => `$2::jsonb -> ${id}::text`;
  const recordEnded = (ended: string, memberId: string, lockId: string) => `
    with ended as (delete from ${ended} returning *)
    insert into ended_holding (
      id, asset_id, member_id, lock_asset_id, enterprise_id, began_time, began_by, ended_time, ended_by_order_id,
      ended_by, end_cause
    )
    select id, asset_id, ${memberId}, ${lockId}, enterprise_id, created_time, created_by, ${NOW_TEXT},
      (ended_by ->> 1)::bigint, $3::bigint,
      coalesce($4::text, case when ended_by ->> 1 = (${orderOf('asset_id')}) ->> 1 then 'order' else 'lock' end)
    from ended, lateral (select least(${orderOf('asset_id')}, ${orderOf(lockId)}) as ended_by) as first_order`;
  const isReleased = (column: string) => `${column} = any ((select $1::bigint[])::bigint[])`;
  await send(trx, {
    name: 'end_lendings',
    text: recordEnded(
      `asset_lending where ${isReleased('asset_id')} or ${isReleased('lock_asset_id')}`,
      '(select member_id from asset_assignment as held where held.asset_id = ended.asset_id)',
      'lock_asset_id',
    ),
    values,
  });
  await send(trx, {
    name: 'end_assignments',
    text: recordEnded(`asset_assignment where ${isReleased('asset_id')}`, 'member_id', 'null::bigint'),
    values,
  });
}
