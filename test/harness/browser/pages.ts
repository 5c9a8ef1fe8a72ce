import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../processes/processes.ts';

/** The pages for readers. */
export const PAGES: readonly string[] = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: REPOSITORY })];

/** A file of the repository. */
export const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');

/** Returns the fenced blocks of a language in a page, verbatim. */
export function blocksOf(page: string, language: string): string[] {
  return [...read(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, written]) => written === language)
    .map(([, , text]) => text!);
}

/** Returns the rows of the tables that have exactly this header, with the cells verbatim. */
export function tableOf(page: string, ...header: string[]): string[][] {
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = read(page).split('\n');
  return lines.flatMap((line, start) => {
    if (!line.startsWith('|') || cellsOf(line).join('|') !== header.join('|')) return [];
    const body = lines.slice(start + 2);
    const end = body.findIndex((each) => !each.startsWith('|'));
    return body.slice(0, end === -1 ? undefined : end).map(cellsOf);
  });
}

/** Formats code for a page. */
export const code = (text: string) => `\`${text}\``;
