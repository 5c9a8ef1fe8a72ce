import { LATEST } from '@lockstep/contract/words';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addJsonOption, DEFAULT_LIMIT, isId, parseLimit } from '../options.ts';
import type { Commands } from './actions.ts';

const HELP = `
Without --after, the output starts with the oldest event kept. At the end, the
command prints the ID of the last event to standard error. To continue without
missing an event, pass that ID to --after. Later releases may add event types.`;

/** Adds `lockstep events`. */
export function addEventsCommand(program: Command, commands: Commands): void {
  addJsonOption(
    commands.onService(
      program,
      'events',
      'Print the event feed of the application, oldest first',
      async () => (await import('../client/events.ts')).printEvents,
    ),
  )
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
    .addHelpText('after', HELP);
}
