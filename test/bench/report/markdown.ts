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
