import { CHANNEL_HEALTHS } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addJsonOption, addListOptions, parseText } from '../options.ts';
import type { Commands } from './actions.ts';

const PAUSE_HELP = `
Orders of its customers are accepted and wait; sync calls with such orders are refused until the channel is resumed.

Exit status: 0 no order of it takes effect any more; 1 what began before has not ended: run it again to wait; 4 no such channel.`;

const load = () => import('../database/channels.ts');

/** Adds `lockstep channel …`: what waits in channels, and pausing them (rules 9). */
export function addTo(channel: Command, commands: Commands): void {
  addListOptions(
    commands.onDatabase(
      channel,
      'list',
      'channels by code: what is pending, since when, how fast it goes',
      async () => (await load()).list,
    ),
  )
    .option('--search <text>', 'only those whose code has this in it', parseText)
    .addOption(new Option('--state <state>', 'only those that do so').choices(CHANNEL_HEALTHS));
  addJsonOption(
    commands.onDatabase(
      channel,
      'show',
      'a channel, and which applications have to do with it',
      async () => (await load()).show,
    ),
  ).argument('<code>', 'its channelCode', parseText);
  commands
    .onDatabase(channel, 'pause', 'have the orders of a channel wait', async () => (await load()).pause)
    .argument('<code>', 'its channelCode', parseText)
    .requiredOption('--reason <text>', "why; it goes to the operators' record only", parseText)
    .addHelpText('after', PAUSE_HELP);
  commands
    .onDatabase(
      channel,
      'resume',
      'have the orders of a paused channel take effect again',
      async () => (await load()).resume,
    )
    .argument('<code>', 'its channelCode', parseText);
}
