import { DEFAULT_OVERLAP_HOURS, SCOPES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { collect, parseOverlapHours } from '../options.ts';
import type { Commands } from './actions.ts';

const load = () => import('../database/applications.ts');

/** Adds `lockstep app …`. */
export function addTo(app: Command, commands: Commands): void {
  commands
    .onDatabase(
      app,
      'create',
      'Create an application; print its appKey and secret (shown once)',
      async () => (await load()).create,
    )
    .requiredOption('--name <name>', 'Name of the application (required)')
    .addOption(
      new Option('--scope <scope...>', 'Scopes of the application (required)').choices(SCOPES).makeOptionMandatory(),
    )
    .option('--channel <code>', 'Bind the application to this channel; can be repeated', collect)
    .option('--approve', 'Approve the application at once');
  commands.onDatabase(
    app,
    'list',
    'List all applications, oldest first, as one JSON object per line',
    async () => (await load()).list,
  );
  commands
    .onDatabase(
      app,
      'rotate-secret <appKey>',
      'Replace the secret of an application; print the new secret (shown once)',
      async () => (await load()).rotateSecret,
    )
    .option(
      '--overlap-hours <hours>',
      'How long the old secret stays valid; 0 ends it at once and revokes all tokens',
      parseOverlapHours,
      DEFAULT_OVERLAP_HOURS,
    );
  commands.onDatabase(
    app,
    'approve <appKey>',
    'Allow an application to call the API',
    async () => (await load()).approve,
  );
  commands.onDatabase(
    app,
    'suspend <appKey>',
    'Suspend an application and revoke its tokens',
    async () => (await load()).suspend,
  );
}
