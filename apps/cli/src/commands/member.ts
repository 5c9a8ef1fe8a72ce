import type { EnterpriseAsset, Holding, ListedEmployee } from '@lockstep/contract';
import { type Command, Option } from 'commander';
import { addExportOptions, JSON_OPTION, parseFileName, parseId, parseText } from '../options.ts';
import { type Column, describeEnd, formatTime, nameAdministrator } from '../output/values.ts';
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

const EMPLOYEE_COLUMNS: readonly Column<ListedEmployee>[] = [
  { head: 'memberGlobalId', cell: ({ globalId }) => globalId, isRight: true },
  { head: 'account', cell: ({ userName }) => userName },
  { head: 'name', cell: ({ name }) => name, wraps: true },
  { head: 'assets', cell: ({ assetNums }) => assetNums.join(' '), wraps: true },
  { head: 'lent into', cell: ({ borrowNum }) => borrowNum, wraps: true },
];

const ASSET_COLUMNS: readonly Column<EnterpriseAsset>[] = [
  { head: 'asset number', cell: ({ assetNum }) => assetNum },
  { head: 'assetId', cell: ({ assetId }) => assetId, isRight: true },
  { head: 'employee', cell: ({ cloudAccountGlobalId }) => cloudAccountGlobalId, isRight: true },
  {
    head: 'state',
    cell: ({ verdict }) => verdict.reasons.map(({ reason }) => reason).join(', ') || 'usable',
    wraps: true,
  },
];

const HOLDING_COLUMNS: readonly Column<Holding>[] = [
  { head: 'asset number', cell: ({ assetNum }) => assetNum },
  { head: 'lent into', cell: ({ lockAssetNum }) => lockAssetNum },
  { head: 'employee', cell: ({ memberAccount }) => memberAccount },
  { head: 'began', cell: ({ beganTime }) => formatTime(beganTime) },
  { head: 'begun by', cell: ({ beganBy }) => nameAdministrator(beganBy) },
  { head: 'ended', cell: ({ endedTime }) => formatTime(endedTime) },
  {
    head: 'ended by',
    cell: ({ licenseOrderId, endedByGlobalId, endCause }) =>
      [
        licenseOrderId ? `order ${licenseOrderId}` : endedByGlobalId && nameAdministrator(endedByGlobalId),
        describeEnd(endCause),
      ]
        .filter(Boolean)
        .join(', '),
    wraps: true,
  },
];

/** Adds `lockstep member …`: commands of the member center as an administrator, and one on the database. */
export function addMemberCommands(program: Command, commands: Commands): void {
  const member = program
    .command('member')
    .helpGroup(API_COMMANDS)
    .description("List employees, assets and seats, assign assets; with database access, reset employees' passwords");
  const call = commands.operations(member, true);
  const add = commands.onService(member, () => import('../client/members.ts'), true);
  addExportOptions(
    add('seats', 'Count the seats of the enterprise by product and license type; exports have products', 'showSeats'),
  ).option(...JSON_OPTION);
  call('list', 'List the employees with their assets, newest first', {
    id: 'listEmployees',
    columns: EMPLOYEE_COLUMNS,
  }).option('--keyword <text>', 'Filter by part of the name or account', parseText);
  call('assets', 'List the assets except borrowed locks, with their employees, oldest first', {
    id: 'listEnterpriseAssets',
    columns: ASSET_COLUMNS,
  });
  call('history', 'List assignments and loans, current and ended, newest first', {
    id: 'listHoldings',
    columns: HOLDING_COLUMNS,
  })
    .option('--member <id>', 'Filter by memberGlobalId', parseId)
    .option('--number <assetNum>', 'Filter by the exact asset number', parseText)
    .addOption(new Option('--state <state>', 'Filter by state').choices(['current', 'ended']));
  commands
    .onService(member, () => import('../client/assign.ts'), true)(
      'assign',
      'Assign assets to employees by a file',
      'assign',
    )
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
