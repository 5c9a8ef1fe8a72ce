import { type FeedEvent, LATEST } from '@lockstep/contract';
import { type Command, Option } from 'commander';
import { readEvents } from '../client/events.ts';
import { formatTime } from '../output/table.ts';
import { endOnSignals, say, sayAside } from '../output/terminal.ts';
import { addJsonOption, DEFAULT_LIMIT, parseId, parseLimit } from './options.ts';
import type { ServiceCommands } from './service.ts';

interface EventOptions {
  after?: string;
  limit?: number;
  all?: true;
  follow?: true;
  json?: true;
}

const HELP = `
Oldest first; without --after from the oldest that is kept. The id of the last event is said on standard error: give it
as --after to go on, and none is missed. A later release may add types of events.

Exit status: 0 the end was reached, 1 a fault, 130 Ctrl-C, 143 SIGTERM.`;

/** Adds `lockstep events`: the event feed of the application, over the API. */
export function addEventCommand(program: Command, service: ServiceCommands): void {
  addJsonOption(service.add(program, 'events', 'what happened to batches: the event feed'))
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
    .addHelpText('after', HELP)
    .action(async (options: EventOptions, command: Command) => {
      const { after, follow = false, all, json } = options;
      const limit = options.limit ?? (follow || all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
      let lastId = after;
      const sayHowToGoOn = () => (lastId === undefined ? 'No event yet.' : `Go on with --after ${lastId}.`);
      endOnSignals(() => `Stopped. ${sayHowToGoOn()}`);
      try {
        const client = await service.openClient(command);
        for await (const event of readEvents(client, { after, limit, follow })) {
          say(json ? JSON.stringify(event) : formatEvent(event));
          lastId = event.id;
        }
        sayAside(sayHowToGoOn());
      } catch (error) {
        throw lastId === undefined
          ? error
          : new Error(`${(error as Error).message} ${sayHowToGoOn()}`, { cause: error });
      }
    });
}

/** An event in one line: it may be followed by the next an hour later. */
function formatEvent({ id, type, time, data }: FeedEvent): string {
  const { channelCode, channelOrderId, total, succeeded, failed, cancelled } = data;
  const ended = cancelled === 0 ? '' : ` (${cancelled} cancelled)`;
  const outcome = `${total} ${total === 1 ? 'order' : 'orders'}, ${succeeded} succeeded, ${failed} failed${ended}`;
  return `${formatTime(time)}  ${id}  ${type}  ${channelCode} ${channelOrderId}: ${outcome}`;
}
