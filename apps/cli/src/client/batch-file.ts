import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { readJson } from '@lockstep/contract/read-json';
import { CommandFault } from '../output/status.ts';
import { resolveCallerPath } from '../output/terminal.ts';

/** A batch to send, and the key by which the service knows it. */
interface BatchFile {
  /** The JSON, as it is in the file. */
  bytes: Buffer<ArrayBuffer>;
  channelCode: string;
  channelOrderId: string;
}

const STANDARD_INPUT = '-';

/**
 * Reads a batch from a file, or from standard input if `file` is `-`.
 * @throws CommandFault if the file cannot be read, is not JSON in UTF-8, or is not a batch
 */
export async function readBatchFile(file: string): Promise<BatchFile> {
  return parseBatch(await readGivenFile(file), nameOf(file));
}

/**
 * Reads a batch that will get a new channelOrderId: as readBatchFile, but channelOrderId may be absent. Returns the
 * fields of the batch.
 */
export async function readRenamedBatch(file: string): Promise<{ channelCode: string; channelOrderId?: string }> {
  const name = nameOf(file);
  const batch = parse(await readGivenFile(file), name) as Record<string, unknown> | null;
  const { channelCode, channelOrderId } = batch ?? {};
  if (typeof channelCode !== 'string' || !['string', 'undefined'].includes(typeof channelOrderId)) {
    throw new CommandFault('usage', `${name} is not a batch: it must be a JSON object with the string channelCode.`);
  }
  return batch as { channelCode: string; channelOrderId?: string };
}

/** Parses the bytes of a file as a batch. `name` is the file in messages. Throws as readBatchFile. */
export function parseBatch(bytes: Buffer<ArrayBuffer>, name: string): BatchFile {
  const batch = parse(bytes, name) as { channelCode?: unknown; channelOrderId?: unknown } | null;
  // The command needs the key to look up the outcome. The service validates everything else.
  const { channelCode, channelOrderId } = batch ?? {};
  if (typeof channelCode !== 'string' || typeof channelOrderId !== 'string') {
    throw new CommandFault(
      'usage',
      `${name} is not a batch: it must be a JSON object with the strings channelCode and channelOrderId.`,
    );
  }
  return { bytes, channelCode, channelOrderId };
}

/** Returns the name of a file for the start of a message. */
export function nameOf(file: string): string {
  return file === STANDARD_INPUT ? 'Standard input' : file;
}

/**
 * Reads a file, or standard input if `file` is `-`.
 * @throws CommandFault if the file cannot be read, or standard input has been read before
 */
export async function readGivenFile(file: string): Promise<Buffer<ArrayBuffer>> {
  if (file === STANDARD_INPUT) {
    const { stdin } = process;
    if (!stdin.readableEnded) return Buffer.from(await buffer(stdin));
    throw new CommandFault('usage', 'Standard input can hold the secret or the batch, not both. Use a file for one.');
  }
  try {
    return await readFile(resolveCallerPath(file));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new CommandFault('usage', `Cannot read ${file}: ${READ_FAULTS[code] ?? message}.`, { cause: error });
  }
}

const READ_FAULTS: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
};

/** Parses the bytes of a file as JSON, as the service would (rules 4). */
function parse(bytes: Buffer, name: string): unknown {
  try {
    const value = readJson(bytes);
    if (value !== undefined) return value;
  } catch (error) {
    const { message } = error as Error;
    throw new CommandFault('usage', `${name}: ${message.replace(/^body: |\.$/g, '')}.`, { cause: error });
  }
  throw new CommandFault('usage', `${name} is empty.`);
}
