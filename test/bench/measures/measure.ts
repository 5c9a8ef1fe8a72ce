import type { Edition } from '../report/edition.ts';
import type { Machine } from '../report/machine.ts';

/** The figures of a measure. Each name includes the unit, as in `orders/s`. */
export type Figures = Record<string, number>;

/** A run of the benchmark. */
export interface Bench {
  machine: Machine;
  /** Factor for counts and durations: 1 for published figures, less for a quick run. */
  scale: number;
  /** Enlarges backlogs; see `--large`. */
  large: boolean;
  /** Values that rounds share; see `keep`. */
  kept: Map<string, unknown>;
}

/** Something to measure once in each round. */
export interface Measure {
  name: string;
  /** `service` is measured in each checkout. A `yardstick`, which the service is compared with, is measured once. */
  of: 'service' | 'yardstick';
  /** Measures on fresh tables and cleans up. A yardstick gets the edition `now`. */
  run(bench: Bench, edition: Edition): Promise<Figures>;
}

/** Scales a count or a duration of a full run to this run. */
export function scaled({ scale }: Bench, full: number, least = 1): number {
  return Math.max(least, Math.round(full * scale));
}

/** Returns the value kept under this name. The first call creates it. */
export async function keep<Value>({ kept }: Bench, name: string, make: () => Promise<Value>): Promise<Value> {
  if (!kept.has(name)) kept.set(name, await make());
  return kept.get(name) as Value;
}

/** Returns the quantile at `share`, from 0 to 1; 0 if there are no values. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
