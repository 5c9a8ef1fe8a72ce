import type { IncomingMessage } from 'node:http';
import type { ListOptions } from '../options.ts';
import { sayText } from '../output/terminal.ts';

/** The media types of exports (rules 1.1), by the option that asks for one. */
export const EXPORT_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
export type ExportFormat = keyof typeof EXPORT_TYPES;

/** Returns the format that the options of a list ask for; undefined if they ask for no export. */
export function formatOf({ csv, ndjson }: Partial<ListOptions>): ExportFormat | undefined {
  return csv ? 'csv' : ndjson && 'ndjson';
}

/** An export that broke off. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/** Writes an export to standard output, as fast as that takes it. Throws Incomplete if the export breaks off. */
export async function save(answer: IncomingMessage): Promise<void> {
  try {
    for await (const text of answer.setEncoding('utf8')) await sayText(text);
  } catch (error) {
    throw new Incomplete('The export broke off', { cause: error });
  }
}
