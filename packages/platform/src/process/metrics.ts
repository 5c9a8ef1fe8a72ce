import { collectDefaultMetrics, Registry } from 'prom-client';
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
