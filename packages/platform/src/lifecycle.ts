import type { Logger } from './log.ts';

/** Something that a process has started and has to close. */
export interface Closable {
  close(): Promise<void>;
}

/** Returns why a process should get no work, in a few words for people; null when it should get work. */
export type ReadinessCheck = () => Promise<string | null>;

const SHUTDOWN_TIMEOUT_MS = 25_000;

/**
 * Runs a process's service until SIGTERM, SIGINT or SIGHUP, then closes it and exits with status 0 (rules 9).
 *
 * A second signal changes nothing: npm passes on a signal that the process group got as well. A close that hangs is cut
 * off after 25 s, which loses nothing that was answered.
 */
export async function runUntilSignal(log: Logger, start: () => Promise<Closable>): Promise<void> {
  const stopping = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  process.on('unhandledRejection', (error) => fail(log, error));
  process.on('uncaughtException', (error) => fail(log, error));
  const service = await start().catch((error: unknown) => {
    log.fatal({ err: error }, 'could not start');
    process.exit(1);
  });
  const signal = await stopping;
  log.info({ signal }, 'stopping');
  const cutOff = setTimeout(() => {
    log.error({ timeoutMs: SHUTDOWN_TIMEOUT_MS }, 'could not stop in time; ends now, nothing accepted is lost');
    process.exit(0);
  }, SHUTDOWN_TIMEOUT_MS);
  await service.close();
  clearTimeout(cutOff);
  log.info('stopped');
  process.exit(0);
}

function fail(log: Logger, error: unknown): void {
  log.fatal({ err: error }, 'uncaught error; the process ends');
  process.exit(1);
}

/** Reads a process's configuration; when it is not usable, prints why in one line and exits with status 1. */
export function configOrExit<Config>(read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** Closes in the order given, each one even if an earlier one failed; then throws the first failure. */
export async function closeAll(...closables: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closables) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
