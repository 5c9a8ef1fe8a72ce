import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { share } from '../concurrency/share.ts';

/** Buckets of all histograms of durations, in seconds. */
export const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of one process. */
export interface Metrics {
  /** Other packages register their metrics here. */
  readonly registry: Registry;
  /** Returns the metrics as text, computed at most once a second. */
  read(): Promise<string>;
}

/** Creates a process's registry, with the metrics of Node.js. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { registry, read: share(() => registry.metrics()) };
}

/** Adds a counter to a registry. */
export const addCounter = (registry: Registry, name: string, help: string, ...labelNames: string[]) =>
  new Counter({ name, help, labelNames, registers: [registry] });

/** Adds a histogram to a registry. */
export const addHistogram = (
  registry: Registry,
  name: string,
  help: string,
  buckets: number[],
  ...labelNames: string[]
) => new Histogram({ name, help, buckets, labelNames, registers: [registry] });

/**
 * Adds a gauge to a registry. Each scrape reads its value, or its values by label. If that fails, the gauge has the
 * value `unknown`, or none.
 */
export function addGauge(
  registry: Registry,
  { name, help, label, unknown }: { name: string; help: string; label: string; unknown?: number },
  read: () => Promise<number | [label: string, value: number][]>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const found = await read().catch(() => unknown ?? []);
      this.reset();
      if (typeof found === 'number') this.set(found);
      else for (const [of, value] of found) this.set({ [label]: of }, value);
    },
  });
}
