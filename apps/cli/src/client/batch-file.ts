import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { readJson } from '@lockstep/contract/read-json';
import { CommandFault } from '../output/status.ts';
import { resolveCallerPath } from '../output/terminal.ts';

/** A batch to send, and the key by which the service knows it. */
export interface BatchFile {
  /** The JSON, UTF-8. */
  bytes: Buffer<ArrayBuffer>;
  channelCode: string;
  channelOrderId: string;
}

/** A batch that will get a new channelOrderId. */
type RenamedBatch = { channelCode: string; channelOrderId?: string; orderList?: unknown };

const STANDARD_INPUT = '-';

/**
 * Reads a batch from a file, or from standard input if `file` is `-`. Keeps the JSON as it is in the file.
 * @throws CommandFault if the file cannot be read, is not JSON in UTF-8, or is not a batch
 */
export async function readBatchFile(file: string): Promise<BatchFile> {
  const bytes = await readGivenFile(file);
  return { bytes, ...parseBatch(bytes, nameOf(file)) };
}

/** Reads a batch as readBatchFile, but its channelOrderId may be absent. Returns its fields. */
export async function readRenamedBatch(file: string): Promise<RenamedBatch> {
  return parseFields(await readGivenFile(file), nameOf(file), ['string', 'undefined']);
}

/** Returns the key of a batch. The service validates everything else. `name` is the file in messages. */
export function parseBatch(bytes: Buffer, name: string): { channelCode: string; channelOrderId: string } {
  const { channelCode, channelOrderId } = parseFields(bytes, name, ['string']);
  return { channelCode, channelOrderId: channelOrderId! };
}

function parseFields(bytes: Buffer, name: string, idTypes: readonly string[]): RenamedBatch {
  const batch = parse(bytes, name) as RenamedBatch | null;
  if (typeof batch?.channelCode === 'string' && idTypes.includes(typeof batch.channelOrderId)) return batch;
  const strings = idTypes.length === 1 ? 'strings channelCode and channelOrderId' : 'string channelCode';
  throw new CommandFault('usage', `${name} is not a batch: it must be a JSON object with the ${strings}.`);
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
    // Node.js's message, such as "ENOENT: no such file or directory, open '…'", without the code and the call.
    const reason = (error as Error).message.replace(/^\w+: |, \w+\b.*$/g, '');
    throw new CommandFault('usage', `Cannot read ${file}: ${reason}.`, { cause: error });
  }
}

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
