import { CONSOLE_ROOT } from '@lockstep/contract/console';

/** The path of the console as browsers see it: behind the path prefix of PUBLIC_URL. */
export function consolePathOf(publicUrl: string | null): string {
  return (publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')) + CONSOLE_ROOT;
}
