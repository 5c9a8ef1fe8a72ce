import { readFileSync, writeFileSync } from 'node:fs';
import { formatNumber } from './results.ts';

/** Formats a table of Markdown: the first column to the left, the others, which are numbers, to the right. */
export function formatMarkdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCell(cell) : cell)));
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...cells];
  return lines
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- |', '|---|')
    .replaceAll(' ---: |', '---:|');
}

/** A count is shown as it is; what is no number, because something was too small to be measured, as a dash. */
function formatCell(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Number.isInteger(value) ? value.toLocaleString('en') : formatNumber(value);
}

const beginOf = (name: string) => `<!-- figures: ${name} -->`;
const END = '<!-- end of figures -->';

/**
 * Returns a page with parts of it replaced: each stands between a line that names it and one that ends it.
 * @throws Error when the page has no such part
 */
export function replaceFigures(page: string, parts: Record<string, string>): string {
  let replaced = page;
  for (const [name, part] of Object.entries(parts)) {
    const [, rest] = split(replaced, beginOf(name));
    const [old] = split(rest, END);
    const begin = replaced.length - rest.length;
    replaced = `${replaced.slice(0, begin)}\n${part}\n${replaced.slice(begin + old.length)}`;
  }
  return replaced;
}

/** Replaces these parts of a file. @throws as replaceFigures */
export function writeFigures(file: string, parts: Record<string, string>): void {
  writeFileSync(file, replaceFigures(readFileSync(file, 'utf8'), parts));
}

function split(text: string, at: string): [before: string, after: string] {
  const index = text.indexOf(at);
  if (index === -1) throw new Error(`The page has no ${at}`);
  return [text.slice(0, index), text.slice(index + at.length)];
}
