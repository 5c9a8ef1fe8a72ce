/**
 * Returns a function that shares what `read` returns for some milliseconds: calls in that time get the same. No reading
 * begins while one runs, so a call waits for one at most. A failure is not kept.
 */
export function shareFor<Result>(milliseconds: number, read: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | undefined;
  let isRunning = false;
  let startedMs = 0;
  return () => {
    if (shared !== undefined && (isRunning || performance.now() - startedMs < milliseconds)) return shared;
    isRunning = true;
    startedMs = performance.now();
    shared = read()
      .catch((error: unknown) => {
        shared = undefined;
        throw error;
      })
      .finally(() => {
        isRunning = false;
      });
    return shared;
  };
}
