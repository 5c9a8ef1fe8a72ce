import { cut } from '../causes.ts';
import { MAX_KEPT_ASSETS } from '../refused-calls.ts';

/** The fields of calls that hold asset numbers, and the lists in which such fields are. */
const NUMBERS = ['assetNum', 'assetNos', 'assetNums', 'addAssets', 'deleteAssets', 'borrowedUsbKey'];
const LISTS = ['orderList', 'assets', 'privileges'];
const MAX_CHARACTERS = 255;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Returns the first asset numbers that parts of a call name, whether or not the call is valid. */
export function findNamedAssets(...parts: unknown[]): string[] {
  const found = new Set<string>();
  const visit = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    const fields = part as Record<string, unknown>;
    for (const name of NUMBERS) {
      for (const value of listOf(fields[name])) {
        if (found.size >= MAX_KEPT_ASSETS) return;
        if (typeof value === 'string') found.add(cut(value, MAX_CHARACTERS));
      }
    }
    for (const name of LISTS) {
      for (const entry of listOf(fields[name])) {
        if (found.size >= MAX_KEPT_ASSETS) return;
        visit(entry);
      }
    }
  };
  for (const part of parts) visit(part);
  return [...found];
}
