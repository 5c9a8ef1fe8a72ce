import { collectDefaultMetrics, Registry } from 'prom-client';

/** How long a text of the metrics is shared by everyone who asks. */
const SHARED_MS = 1_000;
/** The buckets of all histograms of times, in seconds. */
export const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of one process. */
export interface Metrics {
  /** Other packages register their metrics here. */
  readonly registry: Registry;
  /** Returns the metrics as text. They are computed once a second at most: callers in between get the last text. */
  read(): Promise<string>;
}

/** Creates a process's registry of metrics, with the metrics of Node.js itself. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let shared: Promise<string> | undefined;
  const forget = () => {
    shared = undefined;
  };
  return {
    registry,
    read() {
      if (shared === undefined) {
        shared = registry.metrics();
        shared.then(() => setTimeout(forget, SHARED_MS).unref(), forget);
      }
      return shared;
    },
  };
}
