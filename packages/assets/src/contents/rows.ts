import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import type { Statement, Tables } from '@lockstep/platform';
import type { Selectable } from 'kysely';
import { ORDERS_PER_BATCH } from '../ids.ts';
import { ofTerms, type ProductTerms } from '../terms.ts';

type Stored<Table extends 'merchandise_instance' | 'product_instance'> = Selectable<Tables[Table]>;

/** The columns that merchandise and products share. */
interface InstanceRow {
  id: string;
  asset_id: AssetId;
  /**
   * The order whose grant it belongs to, and its batch: the order that bought it, or the one that transferred the
   * asset.
   */
  license_order_id: LicenseOrderId;
  channel_code: string;
  channel_order_id: string;
  /** The source order of the order that bought it; null if it named none. */
  order_source_id: LicenseOrderId | null;
  created_time: Date;
  updated_time: Date;
}

export interface MerchandiseRow
  extends InstanceRow,
    Pick<Stored<'merchandise_instance'>, 'parent_id' | 'merchandise_num' | 'merchandise_name'>,
    Pick<Stored<'merchandise_instance'>, 'parent_merchandise_num' | 'time_duration_expression'> {}

export interface ProductRow
  extends InstanceRow,
    Pick<Stored<'product_instance'>, 'merchandise_id' | 'crm_product_id'>,
    Pick<Stored<'product_instance'>, 'limit_start_date' | 'limit_end_date' | 'limit_concurrent'>,
    Pick<Stored<'product_instance'>, 'src_license_order_id'> {
  fields: ProductTerms;
}

const ON_ASSETS = 'asset_id = any ((select $1::bigint[])::bigint[]) and revoked_time is null';
/** Approximate length of an instance as JSON, without the terms of a product. */
const INSTANCE_BYTES = 700;

/** Measures about how long the active contents of assets are as JSON. */
export const measuring = (assetIds: unknown): Statement<{ bytes: number }> => ({
  name: 'measure_contents',
  text: `
    select coalesce(sum(instances * (${INSTANCE_BYTES} + octet_length(${ofTerms('fields')}::text))), 0)::float8
      + ${INSTANCE_BYTES} * (select count(*) from merchandise_instance where ${ON_ASSETS}) as bytes
    from (select terms_id, count(*) as instances from product_instance where ${ON_ASSETS} group by terms_id) as product`,
  values: [assetIds],
});

/** Reads the active instances of a table on some assets, by the orders that bought them. */
const readingInstances = <Row>(table: string, columns: string, assetIds: unknown): Statement<Row> => ({
  name: `read_${table}s`,
  text: `
    select instance.id, asset_id, held.order_id as license_order_id, created_time, updated_time, channel_code,
      channel_order_id, bought.src_license_order_id as order_source_id, ${columns}
    from (select * from ${table} where ${ON_ASSETS}) as instance
    cross join lateral (select coalesce(held_by_order_id, license_order_id) as order_id) as held
    cross join lateral (
      select channel_code, channel_order_id from batch where id = held.order_id / ${ORDERS_PER_BATCH} limit 1
    ) as batch
    cross join lateral (
      select src_license_order_id from license_order where id = instance.license_order_id limit 1
    ) as bought
    order by instance.license_order_id, instance.id`,
  values: [assetIds],
});

export const readingMerchandises = (assetIds: unknown): Statement<MerchandiseRow> =>
  readingInstances(
    'merchandise_instance',
    'parent_id, merchandise_num, merchandise_name, parent_merchandise_num, time_duration_expression',
    assetIds,
  );

/** Omits the passwords of licenses, which no answer shows. */
export const readingProducts = (assetIds: unknown): Statement<ProductRow> =>
  readingInstances(
    'product_instance',
    `merchandise_id, crm_product_id, limit_start_date, limit_end_date, limit_concurrent,
      instance.src_license_order_id, ${ofTerms('fields')} as fields`,
    assetIds,
  );
