import { type BatchResult, BatchState, type BatchSummary, OrderState } from '@lockstep/contract';
import { type Command, Option } from 'commander';
import {
  addBatchArguments,
  addJsonOption,
  addListOptions,
  addPeriodOptions,
  type ListOptions,
  parseText,
} from '../commands/options.ts';
import type { ServiceCommands } from '../commands/service.ts';
import { addOutcomeOptions } from '../commands/submit.ts';
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
import { addBatchRetryCommands } from './retry.ts';

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

/** Adds `lockstep batch`: the batches of the application, over the API. */
export function addBatchCommands(program: Command, service: ServiceCommands): void {
  const batch = program.command('batch').description('batches of orders that the application has sent');

  addPeriodOptions(addListOptions(service.add(batch, 'list', 'batches, newest first')))
    .option('--channel <code>', 'only of this channel', parseText)
    .addOption(new Option('--state <state>', 'only in this state').choices(BatchState.options))
    .option('--has-failed', 'only those of which an order has failed')
    .action(async (options: BatchListOptions, command: Command) => {
      const client = await service.openClient(command);
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
    });

  addOutcomeOptions(addBatchArguments(service.add(batch, 'show', 'what became of a batch; of a large one what failed')))
    .addOption(new Option('--state <state>', 'only orders in this state, all of them').choices(OrderState.options))
    .option('--wait', 'wait until every order has its outcome')
    .action(async (channelCode: string, channelOrderId: string, options: ShowOptions, command: Command) => {
      await showBatch(await service.openClient(command), { channelCode, channelOrderId }, options);
    });

  addJsonOption(
    addBatchArguments(service.add(batch, 'cancel', 'cancel the orders of a batch that are pending')),
  ).action(async (channelCode: string, channelOrderId: string, { json }: { json?: true }, command: Command) => {
    const client = await service.openClient(command);
    const done = await client.call('cancelBatchOrder', { body: { channelCode, channelOrderId } });
    say(json ? JSON.stringify(done) : `${done.cancelled} cancelled, ${done.finished} had their outcome already`);
  });

  addJsonOption(service.add(batch, 'preview <file>', 'what each order of a file would do now; nothing changes'))
    .option('--fail-on-failed', 'end with status 2 if an order would fail')
    .addHelpText('after', '\nFILE is JSON as the API takes it, UTF-8; - is standard input.')
    .action(async (file: string, options: OutcomeOptions, command: Command) => {
      const client = await service.openClient(command);
      const { bytes } = await readBatchFile(file);
      const call = { query: { appKey: client.appKey }, body: bytes };
      const { data: orders, ignoredFields } = await client.callWhole('previewBatchOrder', call);
      if (ignoredFields.length > 0) sayAside(formatIgnored(ignoredFields));
      if (options.json) for (const order of orders) say(JSON.stringify(order));
      else say(formatPreview(orders));
      setStatus(orders.filter(({ state }) => state === 'failed').length, options);
    });

  addBatchRetryCommands(batch, service);
}

async function showBatch(client: OrderClient, key: BatchKey, options: ShowOptions): Promise<void> {
  let result = await readResult(client, key);
  if (options.wait) result = await watchToEnd(client, key);
  if (!options.json) say(formatBatch(result));
  if (options.state === undefined) return await showOutcome(client, result, options);
  const orders = await readOrders(client, { ...key, state: options.state });
  say(options.json ? formatJson(result, orders) : formatOrders(result, orders));
  setStatus(result.failed, options);
}

async function watchToEnd(client: OrderClient, key: BatchKey): Promise<BatchResult> {
  const progress = new Progress();
  endOnSignals(() => {
    progress.stop();
    return `Stopped. ${describeBatch(key)} goes on.`;
  });
  return await watchBatch(client, key, progress);
}
