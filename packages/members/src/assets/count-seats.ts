import { NOW_MS } from '@lockstep/assets';
import {
  ENDING_SOON_DAYS,
  type LicenseType,
  MAX_ANSWER_BYTES,
  Refusal,
  type SeatCounts,
  type Seats,
} from '@lockstep/contract';
import { type Database, inSnapshot } from '@lockstep/platform';
import { sql } from 'kysely';
import { type AssetTenant, requireCustomer, selectEnterpriseAssets } from '../tenant.ts';

/** The approximate length of a product's numbers as JSON, with its URI and name. */
const PRODUCT_BYTES = 400;
const MAX_PRODUCTS = Math.floor(MAX_ANSWER_BYTES / PRODUCT_BYTES);

/** The latest end of what never ends. */
const NEVER = sql`9223372036854775807`;
const IS_OVER = sql`ends < ${NOW_MS}`;
const IN_FORCE = sql`(coalesce(starts <= ${NOW_MS}, true) and ends >= ${NOW_MS})`;

/** Counts rows with these columns: assigned, lent, is_off, in_force, ends. */
const COUNTS = sql`count(*)::float8 as owned, count(*) filter (where assigned)::float8 as assigned,
  count(*) filter (where lent)::float8 as lent,
  count(*) filter (where not assigned and not is_off and not ${IS_OVER})::float8 as free,
  count(*) filter (where ${IS_OVER})::float8 as expired,
  count(*) filter (
    where in_force and ends <= ${NOW_MS} + ${ENDING_SOON_DAYS * 86_400_000}::bigint
  )::float8 as "endingSoon"`;

/**
 * Counts the seats of an enterprise: its active assets except borrowed locks, by product, by license type and
 * in total (rules 8).
 *
 * Throws a Refusal: customer_not_bound, answer_too_large.
 */
export function countSeats(db: Database, tenant: AssetTenant): Promise<Seats> {
  return inSnapshot(db, async (trx) => {
    await requireCustomer(trx, tenant);
    const seats = selectEnterpriseAssets(trx, tenant)
      .leftJoin('asset_assignment as held', 'held.asset_id', 'asset.id')
      .leftJoin('asset_lending as loan', 'loan.asset_id', 'asset.id')
      .select(['asset.id', 'asset.license_type', 'asset.limit_start_date', 'asset.limit_end_date'])
      .select(sql`held.asset_id is not null`.as('assigned'))
      .select(sql`loan.asset_id is not null`.as('lent'))
      .select(sql`asset.locked or asset.freezing`.as('is_off'))
      .where('borrowed_usb_key', '=', false);
    const types = await sql<SeatCounts & { licenseType: LicenseType | null }>`
      select license_type as "licenseType", ${COUNTS} from (
        select license_type, assigned, lent, is_off, ends, ${IN_FORCE} as in_force
        from ${seats} as seat cross join lateral (
          select limit_start_date as starts, coalesce(limit_end_date, ${NEVER}) as ends
        ) as period
      ) as seat
      group by rollup (license_type) order by license_type`.execute(trx);
    const products = await sql<SeatCounts & { productUri: string; productName: string }>`
      select product_uri as "productUri", (array_agg(product_name order by newest desc))[1] as "productName", ${COUNTS}
      from (
        select assigned, lent, is_off, product_uri, max(p.id) as newest,
          (array_agg(product_name order by p.id desc))[1] as product_name,
          bool_or(${IN_FORCE}) as in_force, max(ends) as ends
        from ${seats} as seat
        join product_instance as p on p.asset_id = seat.id and p.revoked_time is null
        join product_terms as terms on terms.id = p.terms_id
        cross join lateral (
          select greatest(p.limit_start_date, seat.limit_start_date) as starts,
            coalesce(least(p.limit_end_date, seat.limit_end_date), ${NEVER}) as ends
        ) as period
        group by seat.id, assigned, lent, is_off, product_uri
      ) as seat
      group by product_uri order by product_uri collate "C" limit ${MAX_PRODUCTS + 1}`.execute(trx);
    if (products.rows.length > MAX_PRODUCTS) throw new Refusal('answer_too_large', MAX_ANSWER_BYTES / 1024 ** 2);
    const { licenseType: _, ...total } = types.rows.at(-1)!;
    return { products: products.rows, licenseTypes: types.rows.slice(0, -1) as Seats['licenseTypes'], total };
  });
}
