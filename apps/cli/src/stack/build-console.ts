import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Closable } from '@lockstep/platform';

const BUILD = fileURLToPath(new URL('../../../console/build.ts', import.meta.url));

/**
 * Builds the console if its sources are newer than the build, as after `git pull`. A separate process does it, so that
 * its memory is freed. If the build fails, returns the reason, and the service runs without a console.
 */
export async function buildConsole(stop: AbortSignal): Promise<Closable & { fault?: string }> {
  const close = async () => {};
  try {
    await promisify(execFile)(process.execPath, [BUILD, '--if-needed'], { signal: stop });
    return { close };
  } catch (error) {
    return { close, fault: (error as { stderr?: string }).stderr?.trim() || (error as Error).message };
  }
}
