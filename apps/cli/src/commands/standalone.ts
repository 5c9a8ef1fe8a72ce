import { LATEST } from '@lockstep/contract/words';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addOutcomeOptions, DEFAULT_LIMIT, isId, JSON_OPTION, parseLimit } from '../options.ts';
import type { Commands } from './commands.ts';

const SUBMIT_HELP = `
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

const EVENTS_HELP = `
Without --after, the output starts with the oldest event kept. At the end, the
command prints the ID of the last event to standard error. To continue without
missing an event, pass that ID to --after. Later releases may add event types.`;

/** Adds `lockstep submit`. */
export function addSubmitCommand(program: Command, commands: Commands): void {
  const add = commands.onService(program, () => import('../client/batches.ts'));
  addOutcomeOptions(add('submit <file>', 'Send a batch and wait until it is completed', 'submitFile')).addHelpText(
    'after',
    SUBMIT_HELP,
  );
}

/** Adds `lockstep events`. */
export function addEventsCommand(program: Command, commands: Commands): void {
  const add = commands.onService(program, () => import('../client/events.ts'));
  add('events', 'Print the event feed of the application, oldest first', 'printEvents')
    .option(...JSON_OPTION)
    .option('--after <id>', 'Print only events after this one; latest: only new events', (value) => {
      if (value === LATEST || isId(value)) return value;
      throw new InvalidArgumentError(`It must be 1 to 19 digits, or ${LATEST}.`);
    })
    .option('--follow', 'Keep printing new events until Ctrl-C')
    .addOption(
      new Option(
        '--limit <n>',
        `Print at most this many events (default: ${DEFAULT_LIMIT}; no limit with --follow)`,
      ).argParser(parseLimit),
    )
    .addOption(new Option('--all', 'Print all events').conflicts('limit'))
    .addHelpText('after', EVENTS_HELP);
}
