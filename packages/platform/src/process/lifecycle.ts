import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** Something that a process starts and must close. */
export interface Closable {
  close(): Promise<void>;
}

/** Returns the reason why a process is not ready, for people; null if it is ready. */
export type ReadinessCheck = () => Promise<string | null>;

const SHUTDOWN_TIMEOUT_MS = 25_000;
const SIGNAL_DELAY_MS = 1_000;

/** Starts a part. The process closes its parts in reverse order, even those that are still starting. */
export type StartPart = <Part extends Closable>(
  name: string,
  start: (stop: AbortSignal) => Promise<Part>,
) => Promise<Part>;

/**
 * Runs a process until SIGTERM, SIGINT or SIGHUP, then closes its parts and exits with status 0. A signal during
 * startup aborts `stop`, and no further part starts. If a part fails to start, closes the others and exits with status
 * 1.
 *
 * Ignores further signals, because npm forwards a signal that the process group already got. After 25 s, logs which
 * parts hang and exits with status 1. That loses nothing that was acknowledged.
 */
export async function runUntilSignal(
  log: Logger,
  start: (startPart: StartPart) => Promise<void>,
  tellFailure = (error: unknown) => log.fatal({ err: error }, 'startup failed'),
): Promise<never> {
  const stop = new AbortController();
  const stopped = once(stop.signal, 'abort');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort(signal));
  process.on('unhandledRejection', (error) => fail(log, error));
  process.on('uncaughtException', (error) => fail(log, error));
  let status = 0;
  const parts: [name: string, close: () => Promise<unknown>][] = [];
  const startPart: StartPart = async (name, startIt) => {
    stop.signal.throwIfAborted();
    const starting = startIt(stop.signal);
    const started = starting.catch(() => undefined);
    parts.unshift([name, async () => (await started)?.close()]);
    return await starting;
  };
  start(startPart).catch(async (error: unknown) => {
    // A signal makes startup fail. Ctrl-C may reach a child process a moment before this one.
    await wait(SIGNAL_DELAY_MS, undefined, { signal: stop.signal }).catch(() => {});
    if (stop.signal.aborted) return;
    tellFailure(error);
    status = 1;
    stop.abort();
  });
  await stopped;
  if (status === 0) log.info({ signal: stop.signal.reason }, 'stopping');
  setTimeout(() => {
    log.error(
      { timeoutMs: SHUTDOWN_TIMEOUT_MS, hanging: [...closing].map(({ name }) => name) },
      'shutdown timed out; exiting',
    );
    process.exit(1);
  }, SHUTDOWN_TIMEOUT_MS);
  await closeAll(Object.fromEntries(parts)).catch((error: unknown) => fail(log, error));
  if (status === 0) log.info('stopped');
  process.exit(status);
}

function fail(log: Logger, error: unknown): void {
  log.fatal({ err: error }, 'uncaught error; exiting');
  process.exit(1);
}

/** What is closing now: parts and their own parts. */
const closing = new Set<{ name: string }>();

/** Closes parts in the given order. Continues after a failure, and throws the first one at the end. */
export async function closeAll(parts: Record<string, () => Promise<unknown>>): Promise<void> {
  const failures: unknown[] = [];
  for (const [name, close] of Object.entries(parts)) {
    const part = { name };
    closing.add(part);
    await close().catch((error: unknown) => failures.push(error));
    closing.delete(part);
  }
  if (failures.length > 0) throw failures[0];
}
