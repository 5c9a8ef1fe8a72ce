import { causes } from '@lockstep/contract/causes';
import { ORDER_STATES, ORDER_TYPES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addJsonOption, addListOptions, addPeriodOptions, parseId, parseText, parseWord } from '../options.ts';
import type { Commands } from './actions.ts';

const RETRY_HELP = `
What it prints names the orders that it could not put back, each with the reason: order_not_found, pending, succeeded, failed
(with the cause), content_expired (what it held is not kept).`;

const FAIL_HELP = `
Later orders of the same customers may then match something else. If any are pending, the command prints their ids, a line
each, and does nothing until --later says whether they run (keep) or fail too (fail).

Exit status: 0 done. Nothing is done: 2 if an order is not pending or --later is needed; 4 if one is not there. 64, 69
and 1 as of all commands.`;

const loadDatabase = () => import('../database/orders.ts');
const loadClient = () => import('../client/orders.ts');

/** Adds `lockstep order …`: those of the application over the API, and ending and putting back any (rules 9). */
export function addTo(order: Command, commands: Commands): void {
  commands
    .onDatabase(
      order,
      'fail',
      'end pending orders with internal_error, held or not; prints how many',
      async () => (await loadDatabase()).fail,
    )
    .argument('<licenseOrderId...>', 'their ids')
    .requiredOption('--reason <text>', "why; it goes to the operators' record only", parseText)
    .addOption(new Option('--later <what>', "the customers' later pending orders").choices(['keep', 'fail']))
    .addHelpText('after', FAIL_HELP);

  commands
    .onDatabase(
      order,
      'retry',
      'put orders that ended with internal_error back as pending, in their place; prints how many',
      async () => (await loadDatabase()).retry,
    )
    .argument('<licenseOrderId...>', 'their ids')
    .addHelpText('after', RETRY_HELP);

  addPeriodOptions(
    addListOptions(
      commands.onService(
        order,
        'list',
        'orders that the application has sent, newest first',
        async () => (await loadClient()).list,
      ),
    ),
  )
    .option('--channel <code>', 'only of this channel', parseText)
    .option('--customer <id>', 'only of this customer', parseId)
    .option('--asset <number>', 'only those that name this asset number', parseText)
    .addOption(new Option('--type <type>', 'only of this type').choices(ORDER_TYPES))
    .addOption(new Option('--state <state>', 'only in this state').choices(ORDER_STATES))
    .option('--cause <cause>', 'only those that failed for this', parseWord(causes, 'the causes in docs/api.md'));

  addJsonOption(
    commands.onService(order, 'show', 'what became of one order', async () => (await loadClient()).show),
  ).argument('<licenseOrderId>', 'its id, from the answer to its batch', parseId);
}
