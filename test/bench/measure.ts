import type { Credentials } from '@lockstep/access';
import type { Buyer } from './load.ts';
import type { Machine } from './machine.ts';

/** The figures of a measure. Each name includes the unit, as in `orders/s`. */
export type Figures = Record<string, number>;

/** An installed checkout to measure, and a template database with its migrations, an application and customers. */
export interface Checkout {
  name: 'now' | 'before';
  directory: string;
  template: string;
  credentials: Credentials;
  customers: Buyer[];
}

/** Where a measure runs, and what it measures. */
export interface Bench {
  machine: Machine;
  checkout: Checkout;
  /** Factor for counts and durations: 1 for meaningful figures, less for a quick run. */
  scale: number;
}

/** Something to measure once in each round. */
export interface Measure {
  name: string;
  /** Measures on fresh tables and cleans up. */
  run(bench: Bench): Promise<Figures>;
}

/** Scales a count or a duration of a full run to this run. */
export function scaled({ scale }: Bench, full: number, least = 1): number {
  return Math.max(least, Math.round(full * scale));
}

/** Returns the quantile at `share`, from 0 to 1; 0 if there are no values. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Returns quantiles of latencies by name, such as `NAME p99 ms`. */
export function quantiles(name: string, latenciesMs: Iterable<number>, shares: readonly number[]): Figures {
  return Object.fromEntries(shares.map((share) => [`${name} p${100 * share} ms`, quantile(latenciesMs, share)]));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
