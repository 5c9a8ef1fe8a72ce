const MIN_KEPT_MS = 1_000;
/** How long a reading is kept per millisecond that it took, so that readings use at most a tenth of a connection. */
const KEPT_PER_MS = 10;
/** How long a failure is kept at most, because the cause may be gone. */
const MAX_FAILURE_KEPT_MS = 10_000;

/**
 * Returns a function that shares each result of `read`: calls while it runs, and for at least a second after, get the
 * same one. Slow failures are kept too, so that an overloaded database is not queried without a pause.
 */
export function share<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result>;
  let untilMs = Number.NEGATIVE_INFINITY;
  return () => {
    const startMs = performance.now();
    if (startMs < untilMs) return reading;
    const keep = (minMs: number, maxMs: number) => {
      const endMs = performance.now();
      untilMs = endMs + Math.min(maxMs, Math.max(minMs, (endMs - startMs) * KEPT_PER_MS));
    };
    untilMs = Number.POSITIVE_INFINITY;
    reading = read();
    reading.then(
      () => keep(MIN_KEPT_MS, Number.POSITIVE_INFINITY),
      () => keep(0, MAX_FAILURE_KEPT_MS),
    );
    return reading;
  };
}
