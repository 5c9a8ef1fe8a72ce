import { causes } from '@lockstep/contract/causes';
import { ORDER_STATES, ORDER_TYPES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addJsonOption, addListOptions, addPeriodOptions, parseId, parseText, parseWord } from '../options.ts';
import type { Commands } from './actions.ts';

const RETRY_HELP = `
The orders become pending again, in their old place. The output is JSON: how
many orders were retried, and each order that was not, with the reason:
  order_not_found  It does not exist
  pending          It has no outcome yet
  succeeded        It succeeded
  failed           It failed with another cause
  content_expired  Its request is no longer stored

Exit status: 4 if an order was not found, else 0`;

const FAIL_HELP = `
If this order fails, the customer's later orders may have a different effect.
If any of them are pending, the command prints their IDs, one per line, and
changes nothing. Run it again with --later keep or --later fail.

Exit status:
  0    All orders are marked as failed
  2    Nothing changed: an order is not pending, or --later is required
  4    Nothing changed: an order was not found`;

const loadDatabase = () => import('../database/orders.ts');
const loadClient = () => import('../client/orders.ts');

/** Adds `lockstep order …`: commands of both kinds (rules 9). */
export function addTo(order: Command, commands: Commands): void {
  addPeriodOptions(
    addListOptions(
      commands.onService(
        order,
        'list',
        'List the orders of the application, newest first',
        async () => (await loadClient()).list,
      ),
    ),
  )
    .option('--channel <code>', 'Filter by channel', parseText)
    .option('--customer <id>', 'Filter by customer', parseId)
    .option('--asset <number>', 'Filter by an asset number that the order names', parseText)
    .addOption(new Option('--type <type>', 'Filter by type').choices(ORDER_TYPES))
    .addOption(new Option('--state <state>', 'Filter by state').choices(ORDER_STATES))
    .option('--cause <cause>', 'Filter by cause of failure', parseWord(causes, 'the causes in docs/api.md'));

  addJsonOption(
    commands.onService(order, 'show', 'Show the outcome of an order', async () => (await loadClient()).show),
  ).argument('<licenseOrderId>', 'ID of the order', parseId);

  commands
    .onDatabase(
      order,
      'fail',
      'Mark pending orders as failed, with the cause internal_error',
      async () => (await loadDatabase()).fail,
    )
    .argument('<licenseOrderId...>', 'IDs of the orders')
    .requiredOption('--reason <text>', 'Reason for the audit log (required)', parseText)
    .addOption(new Option('--later <what>', "What to do with the customers' later orders").choices(['keep', 'fail']))
    .addHelpText('after', FAIL_HELP);

  commands
    .onDatabase(
      order,
      'retry',
      'Retry orders that failed with internal_error',
      async () => (await loadDatabase()).retry,
    )
    .argument('<licenseOrderId...>', 'IDs of the orders')
    .addHelpText('after', RETRY_HELP);
}
