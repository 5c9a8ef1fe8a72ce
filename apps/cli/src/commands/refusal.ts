import type { RefusedCall } from '@lockstep/contract';
import type { Command } from 'commander';
import { addPeriodOptions, parseCause, parseText } from '../options.ts';
import { type Column, formatTime } from '../output/values.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

const COLUMNS: readonly Column<RefusedCall>[] = [
  { head: 'refused', cell: ({ time }) => formatTime(time) },
  { head: 'operation', cell: ({ operation }) => operation },
  { head: 'batch', cell: ({ channelOrderId }) => channelOrderId, wraps: true },
  { head: 'code', cell: ({ code }) => code, isRight: true },
  { head: 'cause', cell: ({ cause }) => cause },
  { head: 'message', cell: ({ message }) => message, wraps: true },
  { head: 'request', cell: ({ requestId }) => requestId, wraps: true },
];

/** Adds `lockstep refusal …`. */
export function addRefusalCommands(program: Command, commands: Commands): void {
  const refusal = program.command('refusal').helpGroup(API_COMMANDS).description('Find out why calls were refused');
  const call = commands.operations(refusal);
  const list = call('list', 'List the refused calls of the application, newest first', {
    id: 'listRefusals',
    columns: COLUMNS,
  });
  addPeriodOptions(list, 'refused')
    .option('--cause <cause>', 'Filter by cause', parseCause)
    .option('--operation <name>', 'Filter by operation, such as createBatchOrder', parseText)
    .option('--request-id <id>', 'Find the call with this x-request-id', parseText);
}
