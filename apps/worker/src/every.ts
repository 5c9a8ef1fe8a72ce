import type { Closable, Logger } from '@lockstep/platform';

/** Runs a task again and again, each time `intervalMs` after it ended, until closed. It logs a failure and goes on. */
export function every(intervalMs: number, task: () => Promise<void>, log: Logger): Closable {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  let closed = false;
  const schedule = () => {
    timer = setTimeout(() => {
      running = task()
        .catch((error: unknown) => log.warn({ err: error }, 'periodic task failed; runs again'))
        .finally(() => {
          if (!closed) schedule();
        });
    }, intervalMs);
  };
  schedule();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
