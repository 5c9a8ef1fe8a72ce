import { writeFile } from 'node:fs/promises';
import type { RequestEvent } from '@lockstep/client';
import { routes } from '@lockstep/contract/routes';
import { normalizeText } from '../options.ts';
import { CommandFault } from '../output/status.ts';
import { formatTable } from '../output/table.ts';
import { endOnSignals, resolveCallerPath, say, sayAside } from '../output/terminal.ts';
import { countOrders } from '../output/values.ts';
import { type BatchFile, nameOf, readBatchFile, readRenamedBatch } from './batch-file.ts';
import type { OrderClient } from './client.ts';
import {
  type BatchKey,
  describeBatch,
  type OutcomeOptions,
  readResult,
  showOutcome,
  showPreview,
  summarize,
  watchBatch,
} from './outcome.ts';

export async function submitFile(client: OrderClient, file: string, options: OutcomeOptions): Promise<void> {
  await submit(client, () => readBatchFile(file), options);
}

/**
 * Sends a batch, waits until it is completed, and shows its outcome.
 * @param readBatch reads the batch; returns undefined if there is nothing to send
 * @throws if the batch is refused, or if its outcome cannot be read; then a second line says what became of the batch
 */
async function submit(
  client: OrderClient,
  readBatch: () => Promise<BatchFile | undefined>,
  options: OutcomeOptions,
): Promise<void> {
  let whereabouts = 'Nothing was sent.';
  endOnSignals(() => `Stopped. ${whereabouts}`);
  const batch = await readBatch();
  if (batch === undefined) return;
  const { bytes, ...key } = batch;
  const onRequest = ({ operation }: RequestEvent) => {
    if (operation !== 'createBatchOrder') return;
    whereabouts = `${describeBatch(key)} was sent and may have been accepted. Run the command again to find out; submitting is idempotent.`;
  };
  const { length } = await client.call('createBatchOrder', { body: bytes }, { onRequest });
  const url = `${client.baseUrl}${routes.getBatchResult.path}?${new URLSearchParams(key)}`;
  whereabouts = `${describeBatch(key)} was accepted and continues. Run the command again to watch it, or get its result from ${url}`;
  const tell = options.json ? sayAside : say;
  tell(`${describeBatch(key)}: ${countOrders(length)} accepted`);
  try {
    await showOutcome(client, await watchBatch(client, key), options);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${whereabouts}`, { cause: error });
  }
}

export async function show(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  options: OutcomeOptions & { state?: string; wait?: true },
): Promise<void> {
  const key = { channelCode, channelOrderId };
  let result = await readResult(client, key);
  if (options.wait) {
    endOnSignals(() => `Stopped waiting. ${describeBatch(key)} continues.`);
    result = await watchBatch(client, key);
  }
  if (!options.json) say(summarize(result));
  await showOutcome(client, result, options);
}

export async function preview(client: OrderClient, file: string, options: OutcomeOptions): Promise<void> {
  const { bytes } = await readBatchFile(file);
  const { orders, ignoredFields } = await client.preview(bytes);
  if (ignoredFields.length > 0) {
    const column = { head: 'Unknown fields, which the service ignores:', cell: (field: string) => field };
    sayAside(formatTable([column], ignoredFields));
  }
  showPreview(orders, options);
}

/** Prints the failed orders as they were sent, or writes them to a file. */
export async function writeFailed(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  { json, out }: { json?: true; out?: string },
): Promise<void> {
  const key = { channelCode, channelOrderId };
  const { pending } = await readResult(client, key);
  const failed = await readFailed(client, key);
  const { length } = failed.orderList;
  if (length === 0) return sayAside(`${describeBatch(key)} has no failed orders.`);
  if (pending > 0) sayAside(`${describeBatch(key)} is not completed: ${pending} pending, which may still fail.`);
  const text = JSON.stringify(failed, null, json ? undefined : 2);
  if (out === undefined) return say(text);
  await writeNewFile(out, `${text}\n`);
  say(json ? JSON.stringify({ file: out, orders: length }) : `${out}: ${countOrders(length)}`);
}

/** Resends the failed orders as a new batch. */
export async function retry(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  options: OutcomeOptions & { as?: string; file?: string },
): Promise<void> {
  await submit(client, () => readRetry(client, { channelCode, channelOrderId }, options), options);
}

/** Reads the batch to send in place of the failed orders of a completed batch; undefined if no order failed. */
async function readRetry(
  client: OrderClient,
  key: BatchKey,
  { as, file }: { as?: string; file?: string },
): Promise<BatchFile | undefined> {
  const { state, pending } = await readResult(client, key);
  // More orders may fail, and the same channelOrderId cannot be sent with different orders.
  if (state !== 'completed') {
    throw new CommandFault(
      'refused',
      `${describeBatch(key)} is not completed: ${pending} pending. Wait with batch show --wait, then retry.`,
    );
  }
  const batch = file === undefined ? await readFailed(client, key) : await readRenamedBatch(file);
  const { channelCode, channelOrderId = nameRetry(key), orderList } = batch;
  if (Array.isArray(orderList) && orderList.length === 0) {
    sayAside(`${describeBatch(key)} has no failed orders. Nothing was sent.`);
    return undefined;
  }
  if (file !== undefined && normalizeText(channelCode) !== key.channelCode) {
    throw new CommandFault(
      'usage',
      `${nameOf(file)} is a batch of channel ${channelCode}, not of channel ${key.channelCode}.`,
    );
  }
  const renamed = { ...batch, channelOrderId: as ?? channelOrderId };
  return { bytes: Buffer.from(JSON.stringify(renamed)), channelCode, channelOrderId: renamed.channelOrderId };
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
