import type { Command } from 'commander';
import { addOutcomeOptions } from '../options.ts';
import type { Commands } from './actions.ts';

const HELP = `
FILE is JSON as the API takes it, UTF-8; - is standard input. What is not given is taken from the demo of a running
npm start. Of more than 50 orders only those that failed are shown.

Exit status: 0 every order has its outcome, 2 the batch was refused, or an order failed and --fail-on-failed was given,
64 wrong options or file, 69 no answer, 130 Ctrl-C, 143 SIGTERM. The same file may be sent again: nothing is done twice.`;

/** Adds `lockstep submit`. */
export function addSubmitCommand(program: Command, commands: Commands): void {
  addOutcomeOptions(
    commands.onService(
      program,
      'submit <file>',
      'send a batch of orders and watch it until every order has its outcome',
      async () => (await import('../client/submit.ts')).submitFile,
    ),
  ).addHelpText('after', HELP);
}
