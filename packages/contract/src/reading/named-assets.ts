import { cut } from '../causes.ts';
import { MAX_KEPT_ASSETS } from '../refused-calls.ts';

/** The fields of calls that hold asset numbers, and the lists in which such fields are. */
const NUMBERS = ['assetNum', 'assetNos', 'assetNums', 'addAssets', 'deleteAssets', 'borrowedUsbKey'];
const LISTS = ['orderList', 'assets', 'privileges'];
const MAX_CHARACTERS = 255;

/** Returns the first asset numbers that parts of a call name, whether or not the call is valid. */
export function findNamedAssets(...parts: readonly unknown[]): string[] {
  const found = new Set<string>();
  const visit = (part: unknown, names: readonly string[] = []) => {
    for (const value of Array.isArray(part) ? (part as unknown[]) : [part]) {
      if (found.size >= MAX_KEPT_ASSETS) return;
      if (typeof value === 'string' && names === NUMBERS) found.add(cut(value, MAX_CHARACTERS));
      if (typeof value !== 'object' || value === null) continue;
      for (const inside of [NUMBERS, LISTS])
        for (const name of inside) visit((value as Record<string, unknown>)[name], inside);
    }
  };
  visit(parts);
  return [...found];
}
