import { DEFAULT_OVERLAP_HOURS, SCOPES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { collect, parseOverlapHours } from '../options.ts';
import type { Commands } from './actions.ts';

const load = () => import('../database/applications.ts');

/** Adds `lockstep app …`: who may call the API. */
export function addTo(app: Command, commands: Commands): void {
  commands
    .onDatabase(
      app,
      'create',
      'register an application; prints its key and, this once, its secret',
      async () => (await load()).create,
    )
    .requiredOption('--name <name>', 'what it is called')
    .addOption(new Option('--scope <scope...>', 'what it may use').choices(SCOPES).makeOptionMandatory())
    .option('--channel <channel>', 'bind it to this channel; more than one: repeat it', collect)
    .option('--approve', 'approve it at once');
  commands.onDatabase(
    app,
    'list',
    'all applications, oldest first, a line of JSON each; no secrets',
    async () => (await load()).list,
  );
  commands
    .onDatabase(
      app,
      'rotate-secret <appKey>',
      'give an application a new secret; prints its key and, this once, the secret',
      async () => (await load()).rotateSecret,
    )
    .option(
      '--overlap-hours <hours>',
      'how long the secret that it has stays good; 0: not at all, and all tokens are revoked',
      parseOverlapHours,
      DEFAULT_OVERLAP_HOURS,
    );
  commands.onDatabase(app, 'approve <appKey>', 'let an application call', async () => (await load()).approve);
  commands.onDatabase(
    app,
    'suspend <appKey>',
    'stop an application, and revoke its tokens',
    async () => (await load()).suspend,
  );
}
