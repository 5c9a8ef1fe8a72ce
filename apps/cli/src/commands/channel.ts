import { CHANNEL_HEALTHS } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addJsonOption, addListOptions, parseText } from '../options.ts';
import type { Commands } from './actions.ts';

const PAUSE_HELP = `
While a channel is paused, async batches are accepted and their orders stay
pending. Sync batches with orders of its customers are refused.

Exit status:
  0    Paused: none of the channel's orders takes effect
  1    Paused, but a drain or a call that began earlier still applies orders;
       run the command again to wait for it
  4    Channel not found`;

const load = () => import('../database/channels.ts');

/** Adds `lockstep channel …` (rules 9). */
export function addTo(channel: Command, commands: Commands): void {
  addListOptions(
    commands.onDatabase(
      channel,
      'list',
      'List all channels by code, with backlog and rates',
      async () => (await load()).list,
    ),
  )
    .option('--search <text>', 'Filter by part of the channelCode', parseText)
    .addOption(new Option('--state <state>', 'Filter by state').choices(CHANNEL_HEALTHS));
  addJsonOption(
    commands.onDatabase(channel, 'show', 'Show a channel and its applications', async () => (await load()).show),
  ).argument('<code>', 'channelCode', parseText);
  commands
    .onDatabase(channel, 'pause', 'Pause a channel, so that its orders stay pending', async () => (await load()).pause)
    .argument('<code>', 'channelCode', parseText)
    .requiredOption('--reason <text>', 'Reason for the audit log (required)', parseText)
    .addHelpText('after', PAUSE_HELP);
  commands
    .onDatabase(channel, 'resume', 'Resume a paused channel', async () => (await load()).resume)
    .argument('<code>', 'channelCode', parseText);
}
