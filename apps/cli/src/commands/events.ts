import { LATEST } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addJsonOption, DEFAULT_LIMIT, parseId, parseLimit } from '../options.ts';
import type { Commands } from './actions.ts';

const HELP = `
Oldest first; without --after from the oldest that is kept. The id of the last event is said on standard error: give it
as --after to go on, and none is missed. A later release may add types of events.

Exit status: 0 the end was reached, 2 refused, 64 wrong options, 69 no answer, 130 Ctrl-C, 143 SIGTERM.`;

/** Adds `lockstep events`: the event feed of the application, over the API. */
export function addEventsCommand(program: Command, commands: Commands): void {
  addJsonOption(
    commands.onService(
      program,
      'events',
      'what happened to batches: the event feed',
      async () => (await import('../client/events.ts')).printEvents,
    ),
  )
    .option('--after <id>', 'only events behind this one; latest: only those from now on', (value) =>
      value === LATEST ? value : parseId(value),
    )
    .option('--follow', 'go on with new ones as they come, until Ctrl-C')
    .addOption(
      new Option('--limit <n>', `how many in all (default: ${DEFAULT_LIMIT}, or no end with --follow)`).argParser(
        parseLimit,
      ),
    )
    .addOption(new Option('--all', 'all of them').conflicts('limit'))
    .addHelpText('after', HELP);
}
