import { ORDERS_PER_BATCH } from '@lockstep/assets';

/**
 * Tables that are in partitions, one for each period, in the order in which they are archived: a batch goes before its
 * orders, so that nobody takes orders that are gone for pending ones.
 */
export const PERIOD_TABLES = [
  'batch',
  'license_order',
  'lane_chunk',
  'event',
  'member_audit',
  'operator_record',
] as const;

export type PeriodTable = (typeof PERIOD_TABLES)[number];

/** Ids from `from` on, below `to`. */
export interface IdRange {
  from: string;
  to: string;
}

/** Batches of a period, as a power of two: period k has the ids from k times this on. */
export const PERIOD_BITS = 30;
const BATCHES = 1n << BigInt(PERIOD_BITS);
const RECORDS = BATCHES * BigInt(ORDERS_PER_BATCH);

/** The ids of the batches of a period. */
export const batchesOf = (period: number): IdRange => rangeOf(period, BATCHES);
/** The ids of the orders of a period, and those of its records of changes. */
export const ordersOf = (period: number): IdRange => rangeOf(period, RECORDS);

function rangeOf(period: number, ids: bigint): IdRange {
  const from = BigInt(period) * ids;
  return { from: String(from), to: String(from + ids) };
}

/** The partition of a table for a period. */
export const partitionOf = (table: PeriodTable, period: number): string =>
  `${table}_p${String(period).padStart(4, '0')}`;
