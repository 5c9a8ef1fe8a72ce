import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../console/build.ts', import.meta.url));

/**
 * Builds the console if its sources are newer than what the install has built, as after `git pull`. It takes seconds, in a
 * process of its own, whose memory goes with it. Returns why that failed, or undefined: the service runs without a console.
 */
export async function buildConsole(): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, [BUILD, '--if-needed']);
    return undefined;
  } catch (error) {
    return (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
  }
}
