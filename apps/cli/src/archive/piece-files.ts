import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncDirectory } from '@lockstep/embedded-postgres';
import { unfinished } from './archive-directory.ts';

/** What is in a piece, as it was read back. */
export interface ReadPiece {
  rows: number;
  /** Of the file. */
  bytes: number;
  /** Of the file, as `sha256sum` shows it. */
  sha256: string;
}

/** Writes portions of text into a file, compressed. It gets its name when it is whole and on disk. */
export async function writePiece(file: string, portions: AsyncIterable<string>): Promise<void> {
  const output = createWriteStream(unfinished(file), { mode: 0o600, flush: true });
  // One portion ahead: a portion may be 20 MB.
  await pipeline(Readable.from(portions, { highWaterMark: 1 }), createGzip(), output);
  await rename(unfinished(file), file);
  syncDirectory(dirname(file));
}

/** Reads a piece back, and hands its lines, without their ends, to `take` one after the other. Throws if it is not whole. */
export async function readPiece(file: string, take: (line: string) => void): Promise<ReadPiece> {
  const hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const reading = pipeline(createReadStream(file), measured, createGunzip(), async (texts: AsyncIterable<Buffer>) => {
    for await (const text of texts) {
      const lines = (rest + decoder.decode(text, { stream: true })).split('\n');
      rest = lines.pop()!;
      rows += lines.length;
      for (const line of lines) take(line);
    }
  });
  await reading.catch((error: Error) => {
    throw new Error(`${file} cannot be read: ${error.message}. Remove it and run the command again.`, { cause: error });
  });
  if (rest !== '' || decoder.decode() !== '') throw new Error(`${file} ends in the middle of a line.`);
  return { rows, bytes, sha256: hash.digest('hex') };
}
