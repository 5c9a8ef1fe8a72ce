import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '@lockstep/embedded-postgres';
import type { PeriodTable } from '@lockstep/orders';
import { z } from 'zod';
import { MANIFEST, unfinished } from './archive-directory.ts';
import type { ReadPiece } from './piece-files.ts';

/** What the files of a table hold. */
export interface ArchivedTable {
  table: PeriodTable;
  columns: { name: string; type: string }[];
  rows: number;
  /** Of all lines, each with its line end, before they were compressed. */
  sha256: string;
  pieces: ({ file: string } & ReadPiece)[];
}

/** What an archive of a period holds. */
export interface Manifest {
  /** The form of the files: lines of JSON, an object a row, compressed by gzip. */
  format: 1;
  period: number;
  beganTime: Date;
  endedTime: Date;
  /** The version of Lockstep that wrote it. */
  release: string;
  writtenTime: Date;
  tables: ArchivedTable[];
}

/** Writes the manifest, whole or not at all. It comes last: with it the archive is complete. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const file = join(directory, MANIFEST);
  const handle = await open(unfinished(file), 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished(file), file);
  syncDirectory(directory);
}

/** Throws an Error if a directory does not hold the complete archive of a period. */
export async function requireManifest(directory: string, period: number): Promise<void> {
  const file = join(directory, MANIFEST);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file}, which says that the archive is complete, cannot be read: ${error.message}`);
  });
  if (z.object({ period: z.literal(period) }).safeParse(JSON.parse(text)).success) return;
  throw new Error(`${file} is not that of period ${period}.`);
}
