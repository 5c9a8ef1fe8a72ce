import { AssetNumber } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { z } from 'zod';
import { type Api, dataOf } from '../api.ts';

/** O9, whatever the answer. */
export const submitTake = (api: Api, size: number) => api.call('POST', '/shellnums', { body: { size } });
/** O9 that must succeed. */
export const take = async (api: Api, size: number): Promise<string[]> =>
  z.array(AssetNumber).parse(dataOf(await submitTake(api, size)));

/** Returns consecutive numbers of a region, starting at a count. */
export function numbersFrom(firstDigit: '6' | '8', first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(Number(firstDigit) * 1e9 + first + index));
}

/** Returns how many numbers of a region have been handed out. */
export async function countHandedOut(db: Database, firstDigit: 6 | 8): Promise<number> {
  const row = db.selectFrom('asset_number').select('handed_out').where('first_digit', '=', firstDigit);
  return (await row.executeTakeFirstOrThrow()).handed_out;
}
