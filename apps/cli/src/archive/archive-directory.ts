import { access, constants, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PERIOD_TABLES, type PeriodTable } from '@lockstep/orders';

export const MANIFEST = 'manifest.json';
/** The name of a file as long as it is not whole. */
export const unfinished = (file: string): string => `${file}.part`;

/** The name of a piece of a table's rows; pieces are numbered from 1. */
export const pieceName = (table: PeriodTable, piece: number): string =>
  `${table}-${String(piece).padStart(5, '0')}.jsonl.gz`;

const OURS = new RegExp(`^(manifest\\.json|(${PERIOD_TABLES.join('|')})-\\d{5,}\\.jsonl\\.gz)(\\.part)?$`);

/**
 * Makes a directory ready for the files of a period. `mayHoldOurs`: they may be there in part, from an earlier try.
 *
 * Throws an Error if anything else is there, or nothing can be written.
 */
export async function prepareDirectory(directory: string, { mayHoldOurs }: { mayHoldOurs: boolean }): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`${directory} cannot be written: ${(error as Error).message}`, { cause: error });
  }
  const other = (await readdir(directory)).find((name) => !mayHoldOurs || !OURS.test(name));
  if (other !== undefined) throw new Error(`${directory} is not empty: it holds ${other}. Choose another directory.`);
}

/** Lists the pieces of a table that are whole, in their order. */
export async function listPieces(directory: string, table: PeriodTable): Promise<string[]> {
  const names = new Set(await readdir(directory));
  const pieces: string[] = [];
  while (names.has(pieceName(table, pieces.length + 1))) pieces.push(pieceName(table, pieces.length + 1));
  return pieces.map((name) => join(directory, name));
}
