import type { ListedOrder, SingleOrderResult } from '@lockstep/contract';
import { ORDER_STATES, ORDER_TYPES } from '@lockstep/contract/words';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addPeriodOptions, parseCause, parseId, parseText } from '../options.ts';
import { type Column, type Fields, formatTime } from '../output/values.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

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

const COLUMNS: readonly Column<ListedOrder>[] = [
  { head: 'accepted', cell: ({ acceptedTime }) => formatTime(acceptedTime) },
  { head: 'licenseOrderId', cell: ({ licenseOrderId }) => licenseOrderId, isRight: true },
  { head: 'batch', cell: ({ channelCode, channelOrderId }) => `${channelCode} ${channelOrderId}`, wraps: true },
  { head: 'customer', cell: ({ customerId }) => customerId, isRight: true },
  { head: 'type', cell: ({ orderType }) => orderType },
  { head: 'outcome', cell: ({ cause, state }) => cause ?? state, wraps: true },
];
const listFields = (order: SingleOrderResult): Fields => [
  ['licenseOrderId', order.licenseOrderId],
  ['channel', order.channelCode],
  ['channelOrderId', order.channelOrderId],
  ['sequence', order.sequence],
  ['customer', order.customerId],
  ['type', order.orderType],
  ['state', order.state],
  ['code', order.code],
  ['cause', order.cause],
  ['message', order.message],
  ['asset number', order.assetNums.join(' ')],
  ['place', order.places.join(' ')],
  ['assets', order.assets],
  ['products', order.products],
  ['held since', formatTime(order.heldSince)],
  ['finished', formatTime(order.finishedTime)],
];

/** Adds `lockstep order …`: commands of both kinds (rules 9). */
export function addOrderCommands(program: Command, commands: Commands): void {
  const order = program
    .command('order')
    .helpGroup(API_COMMANDS)
    .description('List and show orders; with database access, fail and retry them');
  const call = commands.operations(order);
  const add = commands.onDatabase(order, () => import('../database/orders.ts'));

  addPeriodOptions(
    call('list', 'List the orders of the application, newest first', {
      id: 'listOrders',
      columns: COLUMNS,
    }),
  )
    .option('--channel <code>', 'Filter by channel', parseText)
    .option('--customer <id>', 'Filter by customer', parseId)
    .option('--asset <number>', 'Filter by an asset number that the order names', parseText)
    .addOption(new Option('--type <type>', 'Filter by type').choices(ORDER_TYPES))
    .addOption(new Option('--state <state>', 'Filter by state').choices(ORDER_STATES))
    .option('--cause <cause>', 'Filter by cause of failure', parseCause);

  call('show', 'Show the outcome of an order', { id: 'getOrderResult', fields: listFields }).argument(
    '<licenseOrderId>',
    'ID of the order',
    parseId,
  );

  add('fail', 'Mark pending orders as failed, with the cause internal_error', 'fail')
    .argument('<licenseOrderId...>', 'IDs of the orders', collectIds)
    .requiredOption('--reason <text>', 'Reason for the audit log (required)', parseText)
    .addOption(new Option('--later <what>', "What to do with the customers' later orders").choices(['keep', 'fail']))
    .addHelpText('after', FAIL_HELP);

  add('retry', 'Retry orders that failed with internal_error', 'retry')
    .argument('<licenseOrderId...>', 'IDs of the orders', collectIds)
    .addHelpText('after', RETRY_HELP);
}

/** One transaction holds the lanes of all named orders. */
const MAX_IDS = 2_000;

function collectIds(value: string, before: readonly string[] = []): string[] {
  if (before.length === MAX_IDS) throw new InvalidArgumentError(`Name at most ${MAX_IDS} orders at once.`);
  return [...before, parseId(value)];
}
