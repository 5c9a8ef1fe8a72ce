import { type Command, Option } from 'commander';
import { addExportOptions, addListOptions, JSON_OPTION, parseFileName, parseId, parseText } from '../options.ts';
import { API_COMMANDS, type Commands } from './commands.ts';

const ASSIGN_HELP = `
<file> is CSV, as spreadsheets save it: UTF-8 or UTF-16, with commas, semicolons
or tabs. Its heading names the columns assetNum and account; others are ignored.
Each row assigns one asset, with or without @code in the account. Without an
account, it unassigns the asset. If another employee has the asset, it moves.
Each row is applied or refused on its own; the command says which and why.

Exit status:
  0    All rows are applied, or would be
  2    A row was refused, or would be`;

/** Adds `lockstep member …`: commands of the member center as an administrator, and one on the database. */
export function addMemberCommands(program: Command, commands: Commands): void {
  const member = program
    .command('member')
    .helpGroup(API_COMMANDS)
    .description("List employees, assets and seats, assign assets; with database access, reset employees' passwords");
  const add = commands.ofMembers(member, () => import('../client/members.ts'));
  addExportOptions(
    add('seats', 'Count the seats of the enterprise by product and license type; exports have products', 'showSeats'),
  ).option(...JSON_OPTION);
  const addList = (command: Command) => addExportOptions(addListOptions(command));
  addList(add('list', 'List the employees with their assets, newest first', 'listEmployees'))
    .option(...JSON_OPTION)
    .option('--keyword <text>', 'Filter by part of the name or account', parseText);
  addList(
    add('assets', 'List the assets except borrowed locks, with their employees, oldest first', 'listAssets'),
  ).option(...JSON_OPTION);
  addList(add('history', 'List assignments and loans, current and ended, newest first', 'listHoldings'))
    .option(...JSON_OPTION)
    .option('--member <id>', 'Filter by memberGlobalId', parseId)
    .option('--number <assetNum>', 'Filter by the exact asset number', parseText)
    .addOption(new Option('--state <state>', 'Filter by state').choices(['current', 'ended']));
  commands
    .ofMembers(member, () => import('../client/assign.ts'))('assign', 'Assign assets to employees by a file', 'assign')
    .requiredOption('--file <file>', 'File of the assignments; - reads standard input (required)', parseFileName)
    .option('--preview', 'Show what would change, and change nothing')
    .option('--json', 'Print each row as a JSON object on a line')
    .addHelpText('after', ASSIGN_HELP);
  commands.onDatabase(member, () => import('../database/administration.ts'))(
    'set-password <memberGlobalId>',
    "Reset an employee's password; print the new password (shown once)",
    'setMemberPassword',
  );
}
