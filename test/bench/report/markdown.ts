import { formatNumber } from './results.ts';

/** Formats a Markdown table. The first column is left-aligned; the others contain numbers and are right-aligned. */
export function formatMarkdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCell(cell) : cell)));
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...cells];
  return lines
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- |', '|---|')
    .replaceAll(' ---: |', '---:|');
}

/** Formats integers exactly. A value too small to be measured (NaN) becomes a dash. */
function formatCell(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Number.isInteger(value) ? value.toLocaleString('en') : formatNumber(value);
}
