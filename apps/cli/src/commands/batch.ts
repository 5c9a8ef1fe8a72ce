import type { BatchSummary } from '@lockstep/contract';
import { BATCH_STATES, ORDER_STATES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import {
  addBatchArguments,
  addOutcomeOptions,
  addPeriodOptions,
  DEFAULT_LIMIT,
  JSON_OPTION,
  parseEventId,
  parseFileName,
  parseLimit,
  parseText,
} from '../options.ts';
import { type Column, formatTime } from '../output/values.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

const SUBMIT_HELP = `
<file> is JSON in UTF-8, as the API accepts it; - reads standard input.
If the batch has more than 50 orders, only the failed ones are shown.
Submitting is idempotent: if you submit a file again, the command shows the
outcome or the progress of the first submission.

Exit status:
  0    The batch is completed
  2    The batch was refused; with --fail-on-failed, also if an order failed
  64   Invalid option or file
  69   Service unavailable; standard error says whether the batch was accepted
  130  Stopped by Ctrl-C (SIGTERM: 143); an accepted batch continues`;

const EVENTS_HELP = `
Without --after, the output starts with the oldest event kept. At the end, the
command prints the ID of the last event to standard error. To continue without
missing an event, pass that ID to --after. Later releases may add event types.`;

/** Adds `lockstep submit`. */
export function addSubmitCommand(program: Command, commands: Commands): void {
  const add = commands.onService(program, () => import('../client/batches.ts'));
  addOutcomeOptions(add('submit <file>', 'Send a batch and wait until it is completed', 'submitFile')).addHelpText(
    'after',
    SUBMIT_HELP,
  );
}

/** Adds `lockstep events`. */
export function addEventsCommand(program: Command, commands: Commands): void {
  const add = commands.onService(program, () => import('../client/events.ts'));
  add('events', 'Print the event feed of the application, oldest first', 'printEvents')
    .option(...JSON_OPTION)
    .option('--after <id>', 'Print only events after this one; latest: only new events', parseEventId)
    .option('--follow', 'Keep printing new events until Ctrl-C')
    .addOption(
      new Option(
        '--limit <n>',
        `Print at most this many events (default: ${DEFAULT_LIMIT}; no limit with --follow)`,
      ).argParser(parseLimit),
    )
    .addOption(new Option('--all', 'Print all events').conflicts('limit'))
    .addHelpText('after', EVENTS_HELP);
}

const PREVIEW_HELP = `
<file> is JSON in UTF-8, as the API accepts it; - reads standard input.`;
const FAILED_HELP = `
The output is a batch with the channelOrderId <batch>-retry. It contains
everything that was sent, including passwords. Fix its orders, then send it with
batch retry --file or with submit.`;
const RETRY_HELP = `
The batch must be completed. Its cancelled orders are sent again, too.
--file takes a batch in the form that batch failed writes; - reads standard
input. Without --as, the new batch keeps the channelOrderId of the file; without
either, it is <batch>-retry.
Retrying is idempotent: if you run the command again, it shows the outcome of
the first run.

Exit status: as for submit`;

const COLUMNS: readonly Column<BatchSummary>[] = [
  { head: 'accepted', cell: ({ acceptedTime }) => formatTime(acceptedTime) },
  { head: 'channel', cell: ({ channelCode }) => channelCode, wraps: true },
  { head: 'batch', cell: ({ channelOrderId }) => channelOrderId, wraps: true },
  { head: 'mode', cell: ({ syncMode }) => syncMode },
  { head: 'state', cell: ({ state }) => state },
  { head: 'orders', cell: ({ total }) => total, isRight: true },
  { head: 'failed', cell: ({ failed }) => failed, isRight: true },
];

/** Adds `lockstep batch …`. */
export function addBatchCommands(program: Command, commands: Commands): void {
  const batch = program
    .command('batch')
    .helpGroup(API_COMMANDS)
    .description('List, show, cancel, preview and resend batches');
  const call = commands.operations(batch);
  const add = commands.onService(batch, () => import('../client/batches.ts'));

  addPeriodOptions(
    call('list', 'List the batches of the application, newest first', {
      id: 'listBatches',
      columns: COLUMNS,
    }),
  )
    .option('--channel <code>', 'Filter by channel', parseText)
    .addOption(new Option('--state <state>', 'Filter by state').choices(BATCH_STATES))
    .option('--has-failed', 'List only batches with failed orders');

  addOutcomeOptions(
    addBatchArguments(
      add('show', 'Show the outcome of a batch; with more than 50 orders, only the failed ones', 'show'),
    ),
  )
    .addOption(new Option('--state <state>', 'Show all orders in this state').choices(ORDER_STATES))
    .option('--wait', 'Wait until the batch is completed');

  addBatchArguments(
    call('cancel', 'Cancel the pending orders of a batch', {
      id: 'cancelBatchOrder',
      sentence: ({ cancelled, finished }) => `${cancelled} cancelled, ${finished} already had an outcome`,
    }),
  );

  add('preview <file>', 'Show what each order of a file would do, and change nothing', 'preview')
    .option(...JSON_OPTION)
    .option('--fail-on-failed', 'Exit with status 2 if an order would fail')
    .addHelpText('after', PREVIEW_HELP);

  addBatchArguments(add('failed', 'Print the failed orders of a batch as a new batch to fix and resend', 'writeFailed'))
    .option(...JSON_OPTION)
    .option('--out <file>', 'Write to this file, which must not exist', parseFileName)
    .addHelpText('after', FAILED_HELP);

  addOutcomeOptions(addBatchArguments(add('retry', 'Resend the failed orders of a batch as a new batch', 'retry')))
    .option('--as <id>', 'channelOrderId of the new batch', parseText)
    .option('--file <file>', 'Send this fixed batch instead', parseFileName)
    .addHelpText('after', RETRY_HELP);
}
