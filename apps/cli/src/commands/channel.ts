import { CHANNEL_HEALTHS } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addListOptions, JSON_OPTION, parseText } from '../options.ts';
import { type Commands, DATABASE_COMMANDS } from './commands.ts';

const PAUSE_HELP = `
While a channel is paused, async batches are accepted and their orders stay
pending. Sync batches with orders of its customers are refused.

Exit status:
  0    Paused: none of the channel's orders takes effect
  1    Paused, but a drain or a call that began earlier still applies orders;
       run the command again to wait for it
  4    Channel not found`;

/** Adds `lockstep channel …` (rules 9). */
export function addChannelCommands(program: Command, commands: Commands): void {
  const channel = program
    .command('channel')
    .helpGroup(DATABASE_COMMANDS)
    .description('List, show, pause and resume channels');
  const add = commands.onDatabase(channel, () => import('../database/channels.ts'));
  const one = ['<code>', 'channelCode', parseText] as const;
  addListOptions(add('list', 'List all channels by code, with backlog and rates', 'list').option(...JSON_OPTION))
    .option('--search <text>', 'Filter by part of the channelCode', parseText)
    .addOption(new Option('--state <state>', 'Filter by state').choices(CHANNEL_HEALTHS));
  add('show', 'Show a channel and its applications', 'show')
    .option(...JSON_OPTION)
    .argument(...one);
  add('pause', 'Pause a channel, so that its orders stay pending', 'pause')
    .argument(...one)
    .requiredOption('--reason <text>', 'Reason for the audit log (required)', parseText)
    .addHelpText('after', PAUSE_HELP);
  add('resume', 'Resume a paused channel', 'resume').argument(...one);
}
