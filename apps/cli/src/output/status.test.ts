import { CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { CommandFault, statusOf } from './status.ts';

it.each([
  ['something that does not exist', new CommandFault('notFound', 'none'), 4],
  ['a refusal', new CommandFault('refused', 'no'), 2],
  ['an invalid option', new CommanderError(1, 'commander.unknownOption', 'error: unknown option'), 64],
  ['an unreadable file', new CommandFault('usage', 'no file'), 64],
  ['an unavailable service', new CommandFault('unreachable', 'unavailable'), 69],
  ['--help', new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'), 0],
  ['an Error with more details', new Error('more', { cause: new CommandFault('unreachable', 'unavailable') }), 69],
  ['an Error that wraps a system error', new Error('more', { cause: new Error('EIO') }), 1],
  ['any other Error', new TypeError('x'), 1],
  ['a value that is not an Error', 'x', 1],
])('%s has its exit status', (_, thrown, status) => {
  expect(statusOf(thrown)).toBe(status);
});
