import type { Edition } from '../report/edition.ts';
import type { Machine } from '../report/machine.ts';

/** What a measure found: the unit is part of each name, as in `orders/s`. */
export type Figures = Record<string, number>;

/** One run of the benchmark, as a measure sees it. */
export interface Bench {
  machine: Machine;
  /** 1 as published; less to try it out. Everything that is counted or lasts is multiplied by it. */
  scale: number;
  /** Whether backlogs are longer: those of the measures of fairness have a million orders. */
  large: boolean;
  /** What is kept from round to round, by a name: see `keep`. */
  kept: Map<string, unknown>;
}

/** Something that is measured once a round. */
export interface Measure {
  name: string;
  /** Whether it measures the service, and so each of the checkouts, or what the service is compared with. */
  of: 'service' | 'yardstick';
  /** Measures on fresh tables and leaves nothing behind. A yardstick is given the edition `now`. */
  run(bench: Bench, edition: Edition): Promise<Figures>;
}

/** A count, or a time, of a full run, for this one. */
export function scaled({ scale }: Bench, full: number, least = 1): number {
  return Math.max(least, Math.round(full * scale));
}

/** Returns what was kept by this name, or makes and keeps it. */
export async function keep<Value>({ kept }: Bench, name: string, make: () => Promise<Value>): Promise<Value> {
  if (!kept.has(name)) kept.set(name, await make());
  return kept.get(name) as Value;
}

/** The value below which a share of them lies; 0 when there are none. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** The middle value; between the two in the middle when there are as many on both sides. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
