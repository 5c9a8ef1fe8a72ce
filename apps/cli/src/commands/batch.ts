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

const FAILED_HELP = `
The file holds all that was sent, passwords too. It is a batch with the channelOrderId <batch>-retry: put the orders
right, then send it with batch retry --file, or with submit.`;
const RETRY_HELP = `
Orders that were cancelled count as failed. The batch must be completed. The same command again shows the outcome of the
first time: nothing is done twice. FILE is a batch, corrected, as batch failed writes it; - is standard input. It is sent
under the channelOrderId of --as, or else its own, or else <batch>-retry.

Exit status: as of submit.`;

const load = () => import('../client/batches.ts');
const loadRetry = () => import('../client/retry.ts');

/** Adds `lockstep batch …`: the batches of the application, over the API. */
export function addTo(batch: Command, commands: Commands): void {
  addPeriodOptions(
    addListOptions(commands.onService(batch, 'list', 'batches, newest first', async () => (await load()).list)),
  )
    .option('--channel <code>', 'only of this channel', parseText)
    .addOption(new Option('--state <state>', 'only in this state').choices(BATCH_STATES))
    .option('--has-failed', 'only those of which an order has failed');

  addOutcomeOptions(
    addBatchArguments(
      commands.onService(
        batch,
        'show',
        'what became of a batch; of a large one what failed',
        async () => (await load()).show,
      ),
    ),
  )
    .addOption(new Option('--state <state>', 'only orders in this state, all of them').choices(ORDER_STATES))
    .option('--wait', 'wait until every order has its outcome');

  addJsonOption(
    addBatchArguments(
      commands.onService(
        batch,
        'cancel',
        'cancel the orders of a batch that are pending',
        async () => (await load()).cancel,
      ),
    ),
  );

  addJsonOption(
    commands.onService(
      batch,
      'preview <file>',
      'what each order of a file would do now; nothing changes',
      async () => (await load()).preview,
    ),
  )
    .option('--fail-on-failed', 'end with status 2 if an order would fail')
    .addHelpText('after', '\nFILE is JSON as the API takes it, UTF-8; - is standard input.');

  addJsonOption(
    addBatchArguments(
      commands.onService(
        batch,
        'failed',
        'the orders that failed, as a batch to put right',
        async () => (await loadRetry()).writeFailed,
      ),
    ),
  )
    .option('--out <file>', 'write them into this file, which must not exist yet', parseFileName)
    .addHelpText('after', FAILED_HELP);

  addOutcomeOptions(
    addBatchArguments(
      commands.onService(
        batch,
        'retry',
        'send the orders that failed again, as a new batch',
        async () => (await loadRetry()).retry,
      ),
    ),
  )
    .option('--as <id>', 'channelOrderId of the new batch', parseText)
    .option('--file <file>', 'send this corrected batch in their place', parseFileName)
    .addHelpText('after', RETRY_HELP);
}
