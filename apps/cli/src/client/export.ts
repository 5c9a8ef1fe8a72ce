import type { ListOptions } from '../options.ts';
import { sayText } from '../output/terminal.ts';

/** How many characters are printed together: writing each row by itself would take longer than reading it. */
const PRINTED_CHARACTERS = 65_536;

/** Returns the format that the options of a list ask for; undefined if they ask for no export (rules 1.1). */
export function formatOf({ csv, ndjson }: Partial<ListOptions>): 'csv' | 'ndjson' | undefined {
  return csv ? 'csv' : ndjson && 'ndjson';
}

/** Writes an export to standard output, as fast as that takes it. If it breaks off, writes what came before. */
export async function save(rows: AsyncIterable<string>): Promise<void> {
  let text = '';
  try {
    for await (const row of rows) {
      text += row;
      if (text.length < PRINTED_CHARACTERS) continue;
      await sayText(text);
      text = '';
    }
  } finally {
    await sayText(text);
  }
}
