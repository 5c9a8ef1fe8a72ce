import { CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { CommandFault, statusOf } from './status.ts';

it.each([
  ['what is not there', new CommandFault('notFound', 'none'), 4],
  ['a refusal', new CommandFault('refused', 'no'), 2],
  ['a wrong option', new CommanderError(1, 'commander.unknownOption', 'error: unknown option'), 64],
  ['a wrong file', new CommandFault('usage', 'no file'), 64],
  ['a service that is away', new CommandFault('unreachable', 'away'), 69],
  ['--help', new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'), 0],
  ['an Error that says more', new Error('more', { cause: new CommandFault('unreachable', 'away') }), 69],
  ['an Error for a fault of the system', new Error('more', { cause: new Error('EIO') }), 1],
  ['any other Error', new TypeError('x'), 1],
  ['what is no Error', 'x', 1],
])('%s has its status', (_, thrown, status) => {
  expect(statusOf(thrown)).toBe(status);
});
