import { CHANNEL_HEALTHS, DEFAULT_OVERLAP_HOURS, OPERATOR_ROLES, SCOPES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import { addListOptions, collect, JSON_OPTION, parseLeadDays, parseOverlapHours, parseText } from '../options.ts';
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

/** Adds `lockstep app …`. */
export function addAppCommands(program: Command, commands: Commands): void {
  const app = program.command('app').helpGroup(DATABASE_COMMANDS).description('Manage applications');
  const add = commands.onDatabase(app, () => import('../database/administration.ts'));
  add('create', 'Create an application; print its appKey and secret (shown once)', 'createApp')
    .requiredOption('--name <name>', 'Name of the application (required)')
    .addOption(
      new Option('--scope <scope...>', 'Scopes of the application (required)').choices(SCOPES).makeOptionMandatory(),
    )
    .option('--channel <code>', 'Bind the application to this channel; can be repeated', collect)
    .option('--approve', 'Approve the application at once');
  add('list', 'List all applications, oldest first, as one JSON object per line', 'listApps');
  add(
    'rotate-secret <appKey>',
    'Replace the secret of an application; print the new secret (shown once)',
    'rotateSecret',
  ).option(
    '--overlap-hours <hours>',
    'How long the old secret stays valid; 0 ends it at once and revokes all tokens',
    parseOverlapHours,
    DEFAULT_OVERLAP_HOURS,
  );
  add('notices <appKey>', 'Change which events of licenses an application gets', 'changeAppNotices')
    .addOption(
      new Option(
        '--events-of-licenses <yes|no>',
        'Whether an application without channels hears of the licenses of all channels',
      ).choices(['yes', 'no']),
    )
    .option('--lead-days <days>', 'Days before the end of licenses, such as 30,7; none for no notice', parseLeadDays);
  add('approve <appKey>', 'Allow an application to call the API', 'approve');
  add('suspend <appKey>', 'Suspend an application and revoke its tokens', 'suspend');
}

/** Adds `lockstep operator …` (rules 9). */
export function addOperatorCommands(program: Command, commands: Commands): void {
  const operator = program.command('operator').helpGroup(DATABASE_COMMANDS).description('Manage operators');
  const add = commands.onDatabase(operator, () => import('../database/administration.ts'));
  add('create', 'Create an operator; print the password (shown once)', 'createLogIn')
    .argument('<name>', 'Lowercase letters and digits, with . _ - only in between')
    .addOption(
      new Option('--role <role>', 'Role of the operator (required)').choices(OPERATOR_ROLES).makeOptionMandatory(),
    )
    .option('--channel <code>', 'Limit the operator to this channel; can be repeated', collect);
  add('list', 'List all operators by name, as one JSON object per line', 'list');
  add(
    'reset-password <name>',
    "Reset an operator's password and end their sessions; print the new password (shown once)",
    'resetPassword',
  );
  add('link <name>', 'Let the next person of this name at the login provider log in as an operator', 'link');
  add('disable <name>', 'Disable an operator and end their sessions', 'disable');
  add('enable <name>', 'Enable a disabled operator', 'enable');
}

/** Adds `lockstep enterprise …`. */
export function addEnterpriseCommands(program: Command, commands: Commands): void {
  const enterprise = program
    .command('enterprise')
    .helpGroup(DATABASE_COMMANDS)
    .description('Create administrators of enterprises');
  const add = commands.onDatabase(enterprise, () => import('../database/administration.ts'));
  add(
    'create-admin <enterpriseGlobalId>',
    'Create an administrator of an enterprise; print the password (shown once)',
    'createEnterpriseAdmin',
  );
  add('set-mobile <enterpriseId> <mobile>', 'Set the security mobile number of an enterprise', 'setMobile');
}

/** Adds `lockstep database …`. */
export function addDatabaseCommands(program: Command, commands: Commands): void {
  const database = program
    .command('database')
    .helpGroup(DATABASE_COMMANDS)
    .description('Back up and restore the database');
  const add = commands.onStack(database, () => import('../database/backup.ts'));
  add('backup <file>', 'Back up the embedded PostgreSQL of a running npm start to a file', 'backUp');
  add('restore <file>', 'Restore a backup of npm start into a new DATA_DIR, and skip IDs', 'restore');
  commands.onDatabase(database, () => import('../database/skip-ids.ts'))(
    'skip-ids',
    'Skip a million IDs and asset numbers, so that none is given out twice. Run it after a restore with another tool, before the API starts',
    'skip',
  );
}
