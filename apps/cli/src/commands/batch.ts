import { BATCH_STATES, ORDER_STATES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import {
  addBatchArguments,
  addJsonOption,
  addListOptions,
  addOutcomeOptions,
  addPeriodOptions,
  parseFileName,
  parseText,
} from '../options.ts';
import type { Commands } from './actions.ts';

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

const load = () => import('../client/batches.ts');
const loadRetry = () => import('../client/retry.ts');

/** Adds `lockstep batch …`. */
export function addTo(batch: Command, commands: Commands): void {
  addPeriodOptions(
    addListOptions(
      commands.onService(
        batch,
        'list',
        'List the batches of the application, newest first',
        async () => (await load()).list,
      ),
    ),
  )
    .option('--channel <code>', 'Filter by channel', parseText)
    .addOption(new Option('--state <state>', 'Filter by state').choices(BATCH_STATES))
    .option('--has-failed', 'List only batches with failed orders');

  addOutcomeOptions(
    addBatchArguments(
      commands.onService(
        batch,
        'show',
        'Show the outcome of a batch; with more than 50 orders, only the failed ones',
        async () => (await load()).show,
      ),
    ),
  )
    .addOption(new Option('--state <state>', 'Show all orders in this state').choices(ORDER_STATES))
    .option('--wait', 'Wait until the batch is completed');

  addJsonOption(
    addBatchArguments(
      commands.onService(batch, 'cancel', 'Cancel the pending orders of a batch', async () => (await load()).cancel),
    ),
  );

  addJsonOption(
    commands.onService(
      batch,
      'preview <file>',
      'Show what each order of a file would do, and change nothing',
      async () => (await load()).preview,
    ),
  )
    .option('--fail-on-failed', 'Exit with status 2 if an order would fail')
    .addHelpText('after', PREVIEW_HELP);

  addJsonOption(
    addBatchArguments(
      commands.onService(
        batch,
        'failed',
        'Print the failed orders of a batch as a new batch to fix and resend',
        async () => (await loadRetry()).writeFailed,
      ),
    ),
  )
    .option('--out <file>', 'Write to this file, which must not exist', parseFileName)
    .addHelpText('after', FAILED_HELP);

  addOutcomeOptions(
    addBatchArguments(
      commands.onService(
        batch,
        'retry',
        'Resend the failed orders of a batch as a new batch',
        async () => (await loadRetry()).retry,
      ),
    ),
  )
    .option('--as <id>', 'channelOrderId of the new batch', parseText)
    .option('--file <file>', 'Send this fixed batch instead', parseFileName)
    .addHelpText('after', RETRY_HELP);
}
