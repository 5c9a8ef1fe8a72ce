import type { Closable, Logger } from '@lockstep/platform';

/**
 * Runs a task again and again, each time `intervalMs` after it ended, until closed; first after `firstAfterMs`. It logs
 * a failure and goes on.
 */
export function every(intervalMs: number, task: () => Promise<void>, log: Logger, firstAfterMs = intervalMs): Closable {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  let closed = false;
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      running = task()
        .catch((error: unknown) => log.warn({ err: error }, 'periodic task failed; runs again'))
        .finally(() => {
          if (!closed) schedule(intervalMs);
        });
    }, afterMs);
  };
  schedule(firstAfterMs);
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
