import type { Command } from 'commander';
import { readBatchFile } from '../client/batch-file.ts';
import type { OutcomeOptions } from '../client/outcome.ts';
import { submit } from '../client/submit.ts';
import type { ServiceCommands } from './service.ts';

const SUBMIT_HELP = `
FILE is JSON as the API takes it, UTF-8; - is standard input. What is not given is taken from the demo of a running
npm start. Of more than 50 orders only those that failed are shown.

Exit status: 0 every order has its outcome, 1 the batch was refused or its outcome cannot be seen, 2 an order failed
and --fail-on-failed was given, 130 Ctrl-C, 143 SIGTERM. The same file may be sent again: nothing is done twice.`;

/** Adds the options of the commands that show the outcome of a batch. */
export function addOutcomeOptions(command: Command): Command {
  return command
    .option('--json', 'show the outcome as JSON, with all orders, and all else on standard error')
    .option('--fail-on-failed', 'end with status 2 if an order failed');
}

/** Adds `lockstep submit` to the command. */
export function addSubmitCommand(program: Command, service: ServiceCommands): void {
  const description = 'send a batch of orders and watch it until every order has its outcome';
  addOutcomeOptions(service.add(program, 'submit <file>', description))
    .addHelpText('after', SUBMIT_HELP)
    .action(async (file: string, options: OutcomeOptions, command: Command) => {
      const client = await service.openClient(command);
      await submit(client, () => readBatchFile(file), options);
    });
}
