import { parse } from 'csv-parse/sync';
import { normalizeText } from '../options.ts';
import { CommandFault } from '../output/status.ts';

/** A row of the file: an asset, and the account of its employee; empty if it is to have none. */
export interface SeatRow {
  /** The line at which the row ends, from 1. */
  row: number;
  assetNum: string;
  account: string;
}

const COLUMNS = ['assetNum', 'account'] as const;

/**
 * Reads the rows of a CSV file, as spreadsheets save or paste it. `name` is the file in messages.
 *
 * Throws a CommandFault if it is not text, not CSV, or lacks a column.
 */
export function parseSeats(bytes: Buffer, name: string): SeatRow[] {
  try {
    const text = decode(bytes);
    if (text.trim() === '') throw new Error('it is empty');
    const delimiter = /[,;\t]/.exec(text.split(/[\r\n]/, 1)[0]!)?.[0] ?? ',';
    const columns = (heading: string[]) => {
      const heads = heading.map((head) => COLUMNS.find((column) => fold(column) === fold(head)) ?? false);
      const missing = COLUMNS.find((column) => heads.filter((head) => head === column).length !== 1);
      if (missing !== undefined) throw new Error(`its first line must name the column ${missing} once`);
      return heads;
    };
    const options = { columns, delimiter, info: true, skip_empty_lines: true, trim: true } as const;
    const rows = parse(text, { ...options, skip_records_with_empty_values: true }) as unknown as {
      record: Record<(typeof COLUMNS)[number], string>;
      info: { lines: number };
    }[];
    return rows.map(({ record, info }) => ({
      row: info.lines,
      assetNum: clean(record.assetNum),
      account: clean(record.account),
    }));
  } catch (error) {
    throw new CommandFault('usage', `${name}: ${(error as Error).message}`, { cause: error });
  }
}

function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('it must be UTF-8', { cause: error });
  }
}

const fold = (head: string) => head.replace(/[\s_-]/g, '').toLowerCase();

/** Returns a cell without what keeps a spreadsheet from reading it as a number: `'81` and `="81"`. */
const clean = (cell: string) => normalizeText(cell.replace(/^'|^="(.*)"$/, '$1'));
