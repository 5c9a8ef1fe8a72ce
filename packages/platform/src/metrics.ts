import { collectDefaultMetrics, Registry } from 'prom-client';

/** How long a text of the metrics is shared by everyone who asks. */
const SHARED_MS = 1_000;

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
