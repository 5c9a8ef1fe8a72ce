import { Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** Where the service runs. It determines the first digit of asset numbers (rules 7). */
export type Region = 'domestic' | 'overseas';

const FIRST_DIGITS: Record<Region, number> = { domestic: 8, overseas: 6 };
const COUNTER_DIGITS = 9;
const MAX_NUMBERS = 10 ** COUNTER_DIGITS - 1;

/** How many more counters to try, if some belong to active assets. */
const LOOK_BEYOND = 10_000;

/**
 * O9: returns new asset numbers of 10 digits: the region's digit, then nine digits that count up. No number is given
 * out twice, and none belongs to an active asset. A crash may leave a gap (rules 7).
 *
 * Throws a Refusal: asset_numbers_exhausted, if fewer are left than requested; then none is taken.
 */
export function takeAssetNumbers(db: Database, region: Region, size: number): Promise<string[]> {
  const firstDigit = FIRST_DIGITS[region];
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ handed_out: number }>`
      select handed_out from asset_number where first_digit = ${firstDigit} for update`.execute(trx);
    let last = rows[0]!.handed_out;
    const free: string[] = [];
    for (let beyond = 0; free.length < size; beyond = LOOK_BEYOND) {
      const missing = size - free.length;
      if (missing > MAX_NUMBERS - last) throw new Refusal('asset_numbers_exhausted', size);
      const through = Math.min(last + missing + beyond, MAX_NUMBERS);
      const found = await findFreeNumbers(trx, firstDigit, { after: last, through });
      free.push(...found.slice(0, missing));
      last = found.length < missing ? through : parseCounter(free.at(-1)!);
    }
    await sql`update asset_number set handed_out = ${last} where first_digit = ${firstDigit}`.execute(trx);
    return free;
  });
}

/** Returns the numbers within a range of counters that no active asset has. */
async function findFreeNumbers(
  trx: Trx,
  firstDigit: number,
  { after, through }: { after: number; through: number },
): Promise<string[]> {
  const assetNums = Array.from({ length: through - after }, (_, index) => {
    return `${firstDigit}${String(after + 1 + index).padStart(COUNTER_DIGITS, '0')}`;
  });
  const { rows } = await sql<{ asset_num: string }>`
    select asset_num from asset where asset_num = any (${assetNums}::text[]) and revoked_time is null`.execute(trx);
  const active = new Set(rows.map((row) => row.asset_num));
  return assetNums.filter((assetNum) => !active.has(assetNum));
}

const parseCounter = (assetNum: string) => Number(assetNum.slice(1));
