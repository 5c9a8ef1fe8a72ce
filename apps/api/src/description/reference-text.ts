const LINE_CHARACTERS = 120;

export const code = (text: string) => `\`${text}\``;

/** Returns a link to a heading of the same page. */
export const linkTo = (name: string) => `[${name}](#${name.toLowerCase()})`;

/** Renders a Markdown table, without padding because it is generated. */
export function renderTable(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `|${cells.join('|')}|`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Wraps a paragraph at 120 characters. `indent` begins every line but the first. */
export function wrapLines(paragraph: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/).filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_CHARACTERS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `${indent}${word}`);
  }
  return lines.join('\n');
}
