import { Refusal } from '@lockstep/contract';
import { type Database, inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';

/** Where the service runs. It determines the first digit of asset numbers (rules 7). */
type Region = 'domestic' | 'overseas';

const FIRST_DIGITS: Record<Region, number> = { domestic: 8, overseas: 6 };
const MAX_COUNT = 999_999_999;

/** How many numbers one step examines. A step may take all numbers of a call, and locks the counter for about 50 ms. */
const NUMBERS_PER_STEP = 20_000;

/**
 * O9: returns new asset numbers of 10 digits: the region's digit, then nine digits that count up. No number is given
 * out twice, and none belongs to an active asset. A call that fails may leave a gap (rules 7).
 *
 * Each step past numbers of active assets is a transaction of its own, so that a call that fails, such as at its
 * deadline, keeps the progress for the next one.
 *
 * Throws a Refusal: asset_numbers_exhausted, if fewer are left than requested.
 */
export async function takeAssetNumbers(db: Database, region: Region, size: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < size) {
    const numbers = await takeInOneStep(db, FIRST_DIGITS[region], size - taken.length);
    if (numbers === null) throw new Refusal('asset_numbers_exhausted', size);
    taken.push(...numbers);
  }
  return taken;
}

/** Takes up to `missing` of the next numbers. Returns null, and takes none, if fewer are left. */
function takeInOneStep(db: Database, firstDigit: number, missing: number): Promise<string[] | null> {
  return inTransaction(db, async (trx) => {
    const counter = await sql<{ handed_out: number }>`
      select handed_out from asset_number where first_digit = ${firstDigit} for update`.execute(trx);
    const after = counter.rows[0]!.handed_out;
    const through = Math.min(after + NUMBERS_PER_STEP, MAX_COUNT);
    // A subquery, so that PostgreSQL looks up one number after the other and stops at the limit.
    const { rows } = await sql<{ count: number; assetNum: string }>`
      select count, asset_num as "assetNum" from generate_series(${after + 1}::int, ${through}::int) as count,
        lateral (select ${firstDigit}::text || lpad(count::text, 9, '0') as asset_num) as numbered
      where (select true from asset where asset_num = numbered.asset_num and revoked_time is null) is null
      limit ${missing}`.execute(trx);
    const isEnough = rows.length === missing;
    if (!isEnough && through === MAX_COUNT) return null;
    const handedOut = isEnough ? rows.at(-1)!.count : through;
    await sql`update asset_number set handed_out = ${handedOut} where first_digit = ${firstDigit}`.execute(trx);
    return rows.map(({ assetNum }) => assetNum);
  });
}
