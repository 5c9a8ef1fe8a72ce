import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, type Statement, type Tables } from '@lockstep/platform';
import type { Selectable } from 'kysely';
import { ORDERS_PER_BATCH } from '../order-ids.ts';
import { ofTerms, type ProductTerms } from '../terms.ts';
import type { Planned } from './plan.ts';

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

/**
 * Reads planned instances in the order of the plan. What may have changed since comes from the plan, not from the rows.
 */
const readingPiece = <Row>(table: string, columns: string, piece: readonly Planned[]): Statement<Row> => ({
  name: `read_${table}_piece`,
  text: `
    select instance.id, instance.asset_id, held.order_id as license_order_id, instance.created_time, channel_code,
      channel_order_id, bought.src_license_order_id as order_source_id, ${columns}
    from unnest((select $1::bigint[]), (select $2::bigint[])) with ordinality as planned (id, holder_id, place)
    cross join lateral (select * from ${table} where id = planned.id limit 1) as instance
    cross join lateral (select coalesce(holder_id, instance.license_order_id) as order_id) as held
    cross join lateral (
      select channel_code, channel_order_id from batch where id = held.order_id / ${ORDERS_PER_BATCH} limit 1
    ) as batch
    cross join lateral (
      select src_license_order_id from license_order where id = instance.license_order_id limit 1
    ) as bought
    order by place`,
  values: [
    arrayText(
      'bigint',
      piece.map(({ id }) => id),
    ),
    arrayText(
      'bigint',
      piece.map(({ holderId }) => holderId),
    ),
  ],
});

export const readingMerchandises = (piece: readonly Planned[]): Statement<MerchandiseRow> =>
  readingPiece(
    'merchandise_instance',
    'parent_id, merchandise_num, merchandise_name, parent_merchandise_num, time_duration_expression',
    piece,
  );

/** Omits the passwords of licenses, which no answer shows. */
export const readingProducts = (piece: readonly Planned[]): Statement<ProductRow> =>
  readingPiece(
    'product_instance',
    `merchandise_id, crm_product_id, limit_start_date, limit_end_date, limit_concurrent,
      instance.src_license_order_id, ${ofTerms('fields')} as fields`,
    piece,
  );
