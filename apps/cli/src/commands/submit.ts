import type { Command } from 'commander';
import { addOutcomeOptions } from '../options.ts';
import type { Commands } from './actions.ts';

const HELP = `
<file> is JSON in UTF-8, as the API accepts it; - reads standard input.
If the batch has more than 50 orders, only the failed ones are shown.
Submitting is idempotent: if you submit a file again, the command shows the
outcome or the progress of the first submission.

Exit status:
  0    The batch is completed
  2    The batch was refused; with --fail-on-failed, also if an order failed
  64   Invalid option or file
  69   Service unavailable; standard error says whether the batch was accepted
  130  Stopped by Ctrl-C (SIGTERM: 143); an accepted batch continues`;

/** Adds `lockstep submit`. */
export function addSubmitCommand(program: Command, commands: Commands): void {
  addOutcomeOptions(
    commands.onService(
      program,
      'submit <file>',
      'Send a batch and wait until it is completed',
      async () => (await import('../client/submit.ts')).submitFile,
    ),
  ).addHelpText('after', HELP);
}
