import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './processes.ts';

/** A file of the repository. */
export const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');

/** The fenced blocks of a language in a page, as they are written. */
export function blocksOf(page: string, language: string): string[] {
  return [...read(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, written]) => written === language)
    .map(([, , text]) => text!);
}
