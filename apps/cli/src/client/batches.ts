import type { BatchResult, BatchSummary } from '@lockstep/contract';
import type { ListOptions } from '../options.ts';
import { printList } from '../output/lists.ts';
import {
  describeBatch,
  formatBatch,
  formatIgnored,
  formatJson,
  formatOrders,
  formatPreview,
} from '../output/outcomes.ts';
import { Progress } from '../output/progress.ts';
import { type Column, formatTime } from '../output/table.ts';
import { endOnSignals, say, sayAside } from '../output/terminal.ts';
import { readBatchFile } from './batch-file.ts';
import type { OrderClient } from './client.ts';
import {
  type BatchKey,
  type OutcomeOptions,
  readOrders,
  readResult,
  setStatus,
  showOutcome,
  watchBatch,
} from './outcome.ts';

interface BatchListOptions extends ListOptions {
  channel?: string;
  state?: string;
  hasFailed?: true;
  acceptedFrom?: string;
  acceptedTo?: string;
}
interface ShowOptions extends OutcomeOptions {
  state?: string;
  wait?: true;
}

const BATCH_COLUMNS: readonly Column<BatchSummary>[] = [
  { head: 'accepted', cell: ({ acceptedTime }) => formatTime(acceptedTime) },
  { head: 'channel', cell: ({ channelCode }) => channelCode, wraps: true },
  { head: 'batch', cell: ({ channelOrderId }) => channelOrderId, wraps: true },
  { head: 'mode', cell: ({ syncMode }) => syncMode },
  { head: 'state', cell: ({ state }) => state },
  { head: 'orders', cell: ({ total }) => total, isRight: true },
  { head: 'failed', cell: ({ failed }) => failed, isRight: true },
];

export async function list(client: OrderClient, options: BatchListOptions): Promise<void> {
  const { channel, state, hasFailed, acceptedFrom, acceptedTo } = options;
  const filters = { channelCode: channel, state, hasFailed: hasFailed && 'true', acceptedFrom, acceptedTo };
  await printList(
    async (page) => {
      const { batches, nextCursor } = await client.call('listBatches', { query: { ...filters, ...page } });
      return { items: batches, nextCursor };
    },
    BATCH_COLUMNS,
    options,
  );
}

export async function show(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  options: ShowOptions,
): Promise<void> {
  const key = { channelCode, channelOrderId };
  let result = await readResult(client, key);
  if (options.wait) result = await watchToEnd(client, key);
  if (!options.json) say(formatBatch(result));
  if (options.state === undefined) return await showOutcome(client, result, options);
  const orders = await readOrders(client, { ...key, state: options.state });
  say(options.json ? formatJson(result, orders) : formatOrders(result, orders));
  setStatus(result.failed, options);
}

export async function cancel(
  client: OrderClient,
  channelCode: string,
  channelOrderId: string,
  { json }: { json?: true },
): Promise<void> {
  const done = await client.call('cancelBatchOrder', { body: { channelCode, channelOrderId } });
  say(json ? JSON.stringify(done) : `${done.cancelled} cancelled, ${done.finished} already had an outcome`);
}

export async function preview(client: OrderClient, file: string, options: OutcomeOptions): Promise<void> {
  const { bytes } = await readBatchFile(file);
  const call = { query: { appKey: client.appKey }, body: bytes };
  const { data: orders, ignoredFields } = await client.callWhole('previewBatchOrder', call);
  if (ignoredFields.length > 0) sayAside(formatIgnored(ignoredFields));
  if (options.json) for (const order of orders) say(JSON.stringify(order));
  else say(formatPreview(orders));
  setStatus(orders.filter(({ state }) => state === 'failed').length, options);
}

async function watchToEnd(client: OrderClient, key: BatchKey): Promise<BatchResult> {
  const progress = new Progress();
  endOnSignals(() => {
    progress.stop();
    return `Stopped waiting. ${describeBatch(key)} continues.`;
  });
  return await watchBatch(client, key, progress);
}
