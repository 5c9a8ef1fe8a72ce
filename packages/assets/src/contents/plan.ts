import { setImmediate as giveWay } from 'node:timers/promises';
import type { AssetId, CustomerId, LicenseOrderId, LicenseType } from '@lockstep/contract';
import { arrayText, type Statement, type Trx, together } from '@lockstep/platform';
import { ofTerms } from '../terms.ts';

/** An asset whose contents are read, as of the plan. */
export interface PlannedAsset {
  assetId: AssetId;
  assetNum: string;
  licenseType: LicenseType;
  customerId: CustomerId;
}

/** An active instance, as of the plan. Its row never goes away; what may change in it is recorded here. */
export interface Planned {
  id: string;
  /** Approximate length as JSON. */
  bytes: number;
  /** The order whose grant it belongs to; null if that is the order that bought it. */
  holderId: LicenseOrderId | null;
  /** When it last changed; null if never. */
  updatedMs: number | null;
}

/**
 * The active contents of assets at one moment: which instances, in which order, and how long they are, without the
 * instances themselves.
 */
export interface ContentsPlan {
  assets: readonly PlannedAsset[];
  count: number;
  bytes: number;
  merchandises: string[];
  products: string[];
}

/**
 * Instances as short texts, because a plan may list a million: `parent:id:bytes`, plus `:holder:updated` if the
 * instance has changed.
 */
interface EntriesRow {
  entries: string;
  count: number;
  bytes: number;
}
const ENTRIES_PER_ROW = 500;

/** Lists the active instances of a table on some assets, by the orders that bought them. */
const listing = (table: string, parent: string, bytes: string, assetIds: unknown): Statement<EntriesRow> => ({
  name: `list_${table}`,
  text: `
    select string_agg(entry, ',' order by place) as entries, count(*)::int as count, sum(bytes)::float8 as bytes
    from (
      select row_number() over (order by license_order_id, id) - 1 as place, bytes,
        concat_ws(':', coalesce(${parent}, 0), id, bytes, case
          when held_by_order_id is not null or updated_time > created_time
          then concat_ws(':', coalesce(held_by_order_id, license_order_id), floor(extract(epoch from updated_time) * 1000))
        end) as entry
      from ${table} cross join lateral (select ${bytes} as bytes) as size
      where asset_id = any ((select $1::bigint[])::bigint[]) and revoked_time is null
    ) as instance
    group by place / ${ENTRIES_PER_ROW} order by place / ${ENTRIES_PER_ROW}`,
  values: [assetIds],
});

/** Plans reading the active contents of assets. */
export async function planContents(trx: Trx, assets: readonly PlannedAsset[]): Promise<ContentsPlan> {
  const assetIds = arrayText(
    'bigint',
    assets.map(({ assetId }) => assetId),
  );
  const [merchandises, products] = await together<[EntriesRow, EntriesRow]>(trx, [
    listing('merchandise_instance', 'parent_id', '500', assetIds),
    listing('product_instance', 'merchandise_id', `500 + octet_length(${ofTerms('fields')}::text)`, assetIds),
  ]);
  const all = [...merchandises, ...products];
  return {
    assets,
    count: all.reduce((sum, { count }) => sum + count, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    merchandises: merchandises.map(({ entries }) => entries),
    products: products.map(({ entries }) => entries),
  };
}

/** Planned instances by their parent: merchandise, or null for the asset itself. */
export class InstancesByParent {
  readonly #byParent = new Map<string, string[]>();

  /** Sorts the entries of a plan. Yields to other work from time to time. */
  static async of(rows: readonly string[]): Promise<InstancesByParent> {
    const sorted = new InstancesByParent();
    for (const row of rows) {
      for (const entry of row.split(',')) sorted.#add(entry);
      await giveWay();
    }
    return sorted;
  }

  *in(parent: string | null): Generator<Planned> {
    for (const entry of this.#byParent.get(parent ?? NO_PARENT) ?? []) {
      const [, id, bytes, holderId, updatedMs] = entry.split(':') as [string, string, string, string?, string?];
      yield {
        id,
        bytes: Number(bytes),
        holderId: (holderId as LicenseOrderId | undefined) ?? null,
        updatedMs: updatedMs === undefined ? null : Number(updatedMs),
      };
    }
  }

  hasSomeIn(parent: string): boolean {
    return this.#byParent.has(parent);
  }

  #add(entry: string): void {
    const parent = entry.slice(0, entry.indexOf(':'));
    const entries = this.#byParent.get(parent);
    if (entries === undefined) this.#byParent.set(parent, [entry]);
    else entries.push(entry);
  }
}

/** No instance has this id. */
const NO_PARENT = '0';
