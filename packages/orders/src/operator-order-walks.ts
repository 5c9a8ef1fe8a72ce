import { ORDERS_PER_BATCH, ordersOfNumber } from '@lockstep/assets';
import type { ApplicationId, LicenseOrderId } from '@lockstep/contract';
import type { ConsoleOrdersQuery } from '@lockstep/contract/console';
import type { Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { isFinishedAsAsked } from './order-filters.ts';
import type { OrdersFrom } from './order-index.ts';

/** Orders of an index that one call looks at, at most, however few of them it shows. */
const MAX_ORDERS = 10_000;
/** The same where each may have to be looked for in several places. */
const MAX_ORDERS_OF_NUMBER = 1_000;

/** A search of an operator for a page of orders with ids below one. */
export interface OperatorSearch {
  filters: Omit<ConsoleOrdersQuery, 'limit' | 'cursor'>;
  /** Null: of all applications. */
  applicationId: ApplicationId | null;
  below: LicenseOrderId;
  limit: number;
}

/** An index to walk: a query of at most `maxWalked` ids below one, the highest first. */
interface OrderWalk {
  walked: RawBuilder<unknown>;
  maxWalked: number;
}

/** The indexes that lead to the orders with an outcome which a search is for. */
export function listWalks({ filters, below }: OperatorSearch): OrderWalk[] {
  const { assetNum, customerId, state, cause } = filters;
  const isFailed = cause !== undefined || state === 'failed';
  if (assetNum !== undefined) {
    const succeeded = ordersOfNumber(assetNum, below, MAX_ORDERS_OF_NUMBER);
    const failed = sql`
      select license_order_id as id from failed_order
      where asset_nums @> array[${assetNum}] and license_order_id < ${below}
      order by license_order_id desc limit ${MAX_ORDERS_OF_NUMBER}`;
    return [...(isFailed ? [] : [succeeded]), ...(state === 'succeeded' ? [] : [failed])].map((walked) => ({
      walked,
      maxWalked: MAX_ORDERS_OF_NUMBER,
    }));
  }
  const among =
    customerId !== undefined
      ? sql`customer_id = ${customerId}`
      : cause === 'internal_error'
        ? sql`cause = 'internal_error'`
        : isFailed
          ? sql`cause is not null`
          : sql`true`;
  const walked = sql`select id from license_order where ${among} and id < ${below} order by id desc limit ${MAX_ORDERS}`;
  return [{ walked, maxWalked: MAX_ORDERS }];
}

/** Finds the orders of a walk that a search is for. Each order and its batch are looked up: a join might read them all. */
export async function findWalked(
  trx: Trx,
  search: OperatorSearch,
  { walked, maxWalked }: OrderWalk,
): Promise<OrdersFrom> {
  const { filters, limit } = search;
  const { rows } = await sql<{ id: LicenseOrderId }>`
    select walked.id from (${walked}) as walked
    cross join lateral (
      select from license_order as finished where finished.id = walked.id and ${isFinishedAsAsked(filters)} offset 0
    ) as asked
    cross join lateral (
      select from batch where batch.id = walked.id / ${sql.lit(ORDERS_PER_BATCH)} and ${isOfSender(search)} offset 0
    ) as sent
    order by walked.id desc limit ${limit + 1}`.execute(trx);
  const ids = rows.map(({ id }) => id);
  if (ids.length > limit) return { ids, floor: ids.at(-1)! };
  const { rows: last } = await sql<{ id: LicenseOrderId }>`
    select id from (${walked}) as walked order by id desc offset ${maxWalked - 1} limit 1`.execute(trx);
  return { ids, floor: last[0]?.id ?? null };
}

/** A condition on `batch`: it is of the application and of the channel that a search is for. */
export function isOfSender({ applicationId, filters: { channelCode } }: OperatorSearch): RawBuilder<unknown> {
  const ofApplication = applicationId === null ? sql`true` : sql`batch.application_id = ${applicationId}`;
  return channelCode === undefined ? ofApplication : sql`${ofApplication} and batch.channel_code = ${channelCode}`;
}
