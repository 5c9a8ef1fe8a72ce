import { resolve } from 'node:path';

/**
 * Resolves a path against the directory in which the command was typed: npm changes the directory, and sets INIT_CWD.
 */
export function resolveCallerPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
