import { writeFile } from 'node:fs/promises';
import { normalizeText } from '../options.ts';
import { describeBatch } from '../output/outcomes.ts';
import { CommandFault } from '../output/status.ts';
import { resolveCallerPath, say, sayAside } from '../output/terminal.ts';
import { nameOf, readRenamedBatch } from './batch-file.ts';
import type { OrderClient } from './client.ts';
import { type BatchKey, type OutcomeOptions, readResult } from './outcome.ts';
import { type BatchToSend, submit } from './submit.ts';

interface FailedOptions {
  out?: string;
  json?: true;
}
interface RetryOptions extends OutcomeOptions {
  as?: string;
  file?: string;
}

/** Prints the failed orders as they were sent, or writes them to a file. */
export async function writeFailed(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  options: FailedOptions,
): Promise<void> {
  const key = { channelCode, channelOrderId };
  const { pending } = await readResult(client, key);
  const failed = await readFailed(client, key);
  if (failed.orderList.length === 0) return sayAside(`${describeBatch(key)} has no failed orders.`);
  if (pending > 0) sayAside(`${describeBatch(key)} is not completed: ${pending} pending, which may still fail.`);
  const text = JSON.stringify(failed, null, options.json ? undefined : 2);
  if (options.out === undefined) return say(text);
  await writeNewFile(options.out, `${text}\n`);
  say(
    options.json
      ? JSON.stringify({ file: options.out, orders: failed.orderList.length })
      : `${options.out}: ${countOrders(failed.orderList)}`,
  );
}

/** Resends the failed orders as a new batch. */
export async function retry(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  options: RetryOptions,
): Promise<void> {
  await submit(client, () => readRetry(client, { channelCode, channelOrderId }, options), options);
}

/** Reads the batch to send in place of the failed orders of a completed batch; undefined if no order failed. */
async function readRetry(
  client: OrderClient,
  key: BatchKey,
  { as, file }: RetryOptions,
): Promise<BatchToSend | undefined> {
  const { state, pending } = await readResult(client, key);
  // More orders may fail, and the same channelOrderId cannot be sent with different orders.
  if (state !== 'completed') {
    throw new CommandFault(
      'refused',
      `${describeBatch(key)} is not completed: ${pending} pending. Wait with batch show --wait, then retry.`,
    );
  }
  const batch = file === undefined ? await readFailed(client, key) : await readRenamedBatch(file);
  if ('orderList' in batch && Array.isArray(batch.orderList) && batch.orderList.length === 0) {
    sayAside(`${describeBatch(key)} has no failed orders. Nothing was sent.`);
    return undefined;
  }
  if (file !== undefined && normalizeText(batch.channelCode) !== key.channelCode) {
    throw new CommandFault(
      'usage',
      `${nameOf(file)} is a batch of channel ${batch.channelCode}, not of channel ${key.channelCode}.`,
    );
  }
  const renamed = { ...batch, channelOrderId: as ?? batch.channelOrderId ?? nameRetry(key) };
  return {
    bytes: Buffer.from(JSON.stringify(renamed)),
    channelCode: renamed.channelCode,
    channelOrderId: renamed.channelOrderId,
  };
}

/** Reads the failed orders of a batch as a new batch. */
async function readFailed(client: OrderClient, key: BatchKey) {
  const { channelCode, ...rest } = await client.call('getFailedOrders', { query: { ...key } });
  return { channelCode, channelOrderId: nameRetry(key), ...rest };
}

function nameRetry({ channelOrderId }: BatchKey): string {
  return `${channelOrderId}-retry`;
}

/** Writes a file that only its owner can read. Does not replace a file: someone may have fixed its orders. */
async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(resolveCallerPath(file), text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fault = code === 'EEXIST' ? 'it already exists. Choose another name.' : message;
    throw new CommandFault('usage', `Cannot write ${file}: ${fault}`, { cause: error });
  }
}

function countOrders({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'order' : 'orders'}`;
}
