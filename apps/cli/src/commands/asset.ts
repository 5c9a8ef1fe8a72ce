import type { Command } from 'commander';
import { addJsonOption, addListOptions, parseText } from '../options.ts';
import type { Commands } from './actions.ts';

const load = () => import('../client/assets.ts');

/** Adds `lockstep asset …`. */
export function addTo(asset: Command, commands: Commands): void {
  addJsonOption(
    commands.onService(asset, 'show', 'Show an active asset and its contents', async () => (await load()).show),
  ).argument('<number>', 'Asset number', parseText);
  addListOptions(
    commands.onService(
      asset,
      'history',
      "List what the application can see of an asset's history, newest first",
      async () => (await load()).history,
    ),
  ).argument('<number>', 'Asset number', parseText);
}
