import { Refusal } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** Where the service runs: the mark that its asset numbers begin with (decisions 7). */
export type Region = 'domestic' | 'overseas';

const FIRST_DIGITS: Record<Region, number> = { domestic: 8, overseas: 6 };
const COUNTER_DIGITS = 9;
const MAX_NUMBERS = 10 ** COUNTER_DIGITS - 1;

/**
 * O9: hands out asset numbers of 10 digits: the region's mark, then nine digits that increment. None is handed out
 * twice, by whatever process; an answer that a crash swallowed leaves a gap (decisions 7).
 *
 * Throws a Refusal: asset_numbers_exhausted, where fewer are left than are asked for; then none is taken.
 */
export async function takeAssetNumbers(db: Database, region: Region, size: number): Promise<string[]> {
  const firstDigit = FIRST_DIGITS[region];
  const { rows } = await sql<{ handed_out: number }>`
    update asset_number set handed_out = handed_out + ${size}
    where first_digit = ${firstDigit} and handed_out <= ${MAX_NUMBERS - size}
    returning handed_out`.execute(db);
  const last = rows[0]?.handed_out;
  if (last === undefined) throw new Refusal('asset_numbers_exhausted', size);
  return Array.from({ length: size }, (_, index) => {
    const counter = String(last - size + 1 + index);
    return `${firstDigit}${counter.padStart(COUNTER_DIGITS, '0')}`;
  });
}
