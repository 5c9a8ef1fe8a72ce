import type { Command } from 'commander';
import { addJsonOption, addListOptions, parseText } from '../options.ts';
import type { Commands } from './actions.ts';

const load = () => import('../client/assets.ts');

/** Adds `lockstep asset …`: an asset by its number, and what happened to it, over the API. */
export function addTo(asset: Command, commands: Commands): void {
  addJsonOption(
    commands.onService(
      asset,
      'show',
      'the active asset of a number, with what is on it',
      async () => (await load()).show,
    ),
  ).argument('<number>', 'its number', parseText);
  addListOptions(
    commands.onService(
      asset,
      'history',
      'what happened to the assets of a number, newest first',
      async () => (await load()).history,
    ),
  ).argument('<number>', 'its number', parseText);
}
