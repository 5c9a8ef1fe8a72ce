import { buildProgram } from '@lockstep/cli/testing';
import type { Command } from 'commander';
import type { Api } from '../api.ts';
import { type Ended, newDataDir, runJob } from './processes.ts';

/** Runs the command without npm, whose start takes as long as the command. */
export const COMMAND = [process.execPath, 'apps/cli/src/lockstep.ts'];

/** A regular expression for the times that commands print: local, with an offset. */
export const TIME = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d';

/** Returns an environment in which the command calls a service as this application, and finds no `npm start`. */
export function environmentOf({
  baseUrl,
  credentials: { appKey, appSecret },
}: Pick<Api, 'baseUrl' | 'credentials'>): Record<string, string> {
  return {
    DATA_DIR: newDataDir(),
    LOCKSTEP_BASE_URL: baseUrl,
    LOCKSTEP_APP_KEY: appKey,
    LOCKSTEP_APP_SECRET: appSecret,
  };
}

/** Returns the command of these words, such as `webhook create`. Throws an Error if there is none. */
export function findCommand(words: string): Command {
  return words.split(' ').reduce((group, word) => {
    const found = group.commands.find((command) => command.name() === word);
    if (found === undefined) throw new Error(`There is no lockstep ${words}`);
    return found;
  }, buildProgram({}));
}

/** Returns the output of a command that must succeed and print nothing to standard error. */
export async function resultOf(ended: Promise<Ended>): Promise<string> {
  const { status, stdout, stderr } = await ended;
  if (status !== 0 || stderr !== '') throw new Error(`It ended with status ${status}: ${stderr}`);
  return stdout;
}

/** Runs a shell line in which `lockstep` is the command. */
export function runLine(line: string, env: Record<string, string>): Promise<Ended> {
  return runJob(['bash', '-c', `lockstep() { ${COMMAND.join(' ')} "$@"; }; ${line}`], env);
}

/** Parses the output of a command with --json, one object per line. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
export function objectsIn(stdout: string): any[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Parses the first table whose header begins with `firstHead`: a record of cells by heading for each row. */
export function tableIn(stdout: string, firstHead: string): Record<string, string>[] {
  const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  const start = lines.findIndex(([head]) => head === firstHead);
  const [header = [], ...rest] = lines.slice(start);
  const end = rest.findIndex(({ length }) => length !== header.length);
  return rest
    .slice(0, end === -1 ? undefined : end)
    .map((cells) => Object.fromEntries(cells.map((cell, index) => [header[index], cell])));
}
