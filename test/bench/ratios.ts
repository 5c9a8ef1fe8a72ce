import type { Results } from './results.ts';
export function formatRatios(_: Results): string[] {
  return [];
}
