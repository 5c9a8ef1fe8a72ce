import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { noteProgress, PERIOD_TABLES, type PeriodTable, partitionOf } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { listPieces, pieceName } from './archive-directory.ts';
import { readLines, readPartitionColumns } from './archived-tables.ts';
import type { ArchivedTable } from './manifest.ts';
import { readPiece, writePiece } from './piece-files.ts';

/** Bytes of text after which a piece ends. */
const PIECE_BYTES = 256 * 1024 * 1024;

/** A period whose tables are detached, and where its files are to be. */
export interface PeriodToWrite {
  /** One session. */
  db: Database;
  period: number;
  directory: string;
  say: (line: string) => void;
  /** Less in tests. */
  pieceBytes?: number;
}

/** Writes the tables of a period into files, behind the pieces that an earlier try has finished. */
export async function writePeriod(writing: PeriodToWrite): Promise<void> {
  for (const table of PERIOD_TABLES) {
    writing.say(`writing ${partitionOf(table, writing.period)}`);
    await writeTable(writing, table);
  }
}

async function writeTable({ db, period, directory, pieceBytes = PIECE_BYTES }: PeriodToWrite, table: PeriodTable) {
  const whole = await listPieces(directory, table);
  let last = whole.length === 0 ? null : await readLastLine(whole.at(-1)!);
  for (let piece = whole.length + 1; ; piece++) {
    await noteProgress(db, period);
    let lines = await readLines(db, table, period, last);
    if (lines.length === 0) return;
    async function* portions() {
      for (let characters = 0; lines.length > 0 && characters < pieceBytes; ) {
        const portion = textOf(lines);
        yield portion;
        characters += portion.length;
        last = lines.at(-1)!;
        lines = characters < pieceBytes ? await readLines(db, table, period, last) : [];
      }
    }
    await writePiece(join(directory, pieceName(table, piece)), portions());
  }
}

const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

async function readLastLine(file: string): Promise<string | null> {
  let last: string | null = null;
  await readPiece(file, (line) => {
    last = line;
  });
  return last;
}

/**
 * Reads the files of a period back and holds them against its tables, row by row.
 *
 * Throws an Error if a file does not hold what its table holds.
 */
export async function verifyPeriod({ db, period, directory, say }: PeriodToWrite): Promise<ArchivedTable[]> {
  const tables: ArchivedTable[] = [];
  for (const table of PERIOD_TABLES) {
    say(`verifying ${partitionOf(table, period)}`);
    await noteProgress(db, period);
    const written = await readWritten(directory, table);
    const columns = await readPartitionColumns(db, table, period);
    if (written.sha256 !== (await hashRows(db, table, period))) {
      throw new Error(
        `The files of ${table} in ${directory} do not hold what the table holds. Nothing was dropped. ` +
          'Remove the files of this table and run the command again.',
      );
    }
    tables.push({ table, columns, ...written });
  }
  return tables;
}

async function readWritten(directory: string, table: PeriodTable): Promise<Omit<ArchivedTable, 'table' | 'columns'>> {
  const hash = createHash('sha256');
  const pieces: ArchivedTable['pieces'] = [];
  for (const file of await listPieces(directory, table)) {
    const read = await readPiece(file, (line) => void hash.update(`${line}\n`));
    pieces.push({ file: basename(file), ...read });
  }
  return { rows: pieces.reduce((sum, { rows }) => sum + rows, 0), sha256: hash.digest('hex'), pieces };
}

async function hashRows(db: Database, table: PeriodTable, period: number): Promise<string> {
  const hash = createHash('sha256');
  for (let last: string | null = null; ; ) {
    const lines: string[] = await readLines(db, table, period, last);
    if (lines.length === 0) return hash.digest('hex');
    hash.update(textOf(lines));
    last = lines.at(-1)!;
  }
}
