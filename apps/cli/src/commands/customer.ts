import type { ListedCustomer } from '@lockstep/contract';
import type { Command } from 'commander';
import { parseId, parseText } from '../options.ts';
import type { Column } from '../output/values.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

const COLUMNS: readonly Column<ListedCustomer>[] = [
  { head: 'customerId', cell: ({ customerId }) => customerId, isRight: true },
  { head: 'name', cell: ({ customerName }) => customerName, wraps: true },
  { head: 'channel', cell: ({ channelCode }) => channelCode },
  { head: 'number', cell: ({ channelCustomerId }) => channelCustomerId, wraps: true },
  { head: 'enterpriseGlobalId', cell: ({ enterpriseGlobalId }) => enterpriseGlobalId, isRight: true },
  { head: 'enterprise', cell: ({ enterpriseName }) => enterpriseName, wraps: true },
  { head: 'contact', cell: ({ contact }) => contact && `${contact.adminName} ${contact.adminEmail}`, wraps: true },
];

/** Adds `lockstep customer …`. */
export function addCustomerCommands(program: Command, commands: Commands): void {
  const customer = program
    .command('customer')
    .helpGroup(API_COMMANDS)
    .description('List customers, and erase their contacts');
  commands
    .operations(customer)('list', 'List customers, newest first', { id: 'listCustomers', columns: COLUMNS })
    .option('--name <prefix>', 'Filter by the beginning of the name', parseText)
    .option('--channel <code>', 'Filter by channel', parseText)
    .option('--channel-customer-id <id>', 'Filter by the ID in the channel', parseText)
    .option('--enterprise <id>', 'Filter by enterprise', parseId);
  commands.onDatabase(customer, () => import('../database/administration.ts'))(
    'erase-contact <customerId>',
    'Erase who buys for a customer; its next order stores that again',
    'eraseCustomerContact',
  );
}
