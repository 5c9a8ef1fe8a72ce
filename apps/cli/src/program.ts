import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { API_COMMANDS, Commands, DATABASE_COMMANDS, OTHER_COMMANDS } from './commands/actions.ts';
import { addCompletionCommands } from './commands/completion.ts';
import { addEventsCommand } from './commands/events.ts';
import { addSubmitCommand } from './commands/submit.ts';
import { sayAside } from './output/terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Adds the commands of a group. */
type AddTo = (group: Command, commands: Commands) => void;

interface Group {
  name: string;
  description: string;
  load: () => Promise<{ addTo: AddTo }>;
}

const API_GROUPS: readonly Group[] = [
  {
    name: 'batch',
    description: 'List, show, cancel, preview and resend batches',
    load: () => import('./commands/batch.ts'),
  },
  {
    name: 'order',
    description: 'List and show orders; with database access, fail and retry them',
    load: () => import('./commands/order.ts'),
  },
  { name: 'asset', description: 'Show assets and their history', load: () => import('./commands/asset.ts') },
  { name: 'webhook', description: 'Manage webhooks', load: () => import('./commands/webhook.ts') },
];

const DATABASE_GROUPS: readonly Group[] = [
  {
    name: 'channel',
    description: 'List, show, pause and resume channels',
    load: () => import('./commands/channel.ts'),
  },
  { name: 'app', description: 'Manage applications', load: () => import('./commands/app.ts') },
  { name: 'operator', description: 'Manage operators', load: () => import('./commands/operator.ts') },
  {
    name: 'enterprise',
    description: 'Create administrators of enterprises',
    load: () => import('./commands/enterprise.ts'),
  },
  { name: 'member', description: "Reset employees' passwords", load: () => import('./commands/member.ts') },
  { name: 'database', description: 'Back up and restore the database', load: () => import('./commands/database.ts') },
];

const HELP = `
API commands act as one application and see only its data. Name the service and
the application with --base-url, --app-key and --app-secret-file or their
variables; without any of them, the command uses the demo of npm start, in
DATA_DIR/demo.json.
Database commands cover all applications. They connect to DATABASE_URL; the
default is the database of the npm start that runs in DATA_DIR. The audit log
records what they change.

Results go to standard output, hints and errors to standard error. Times are
local, with their offset. Scripts should use JSON and exit statuses, not tables.

Exit status:
  0    Success
  1    Any other error
  2    Refused by the service or its rules
  4    Not found
  64   Invalid command, option, file or variable
  69   Service or database unavailable; try again later
  130  Stopped by Ctrl-C (SIGTERM: 143)`;

/**
 * Builds the lockstep command (rules 9). Where commander would exit the process, the returned command throws.
 * @param env the environment, which names the database and the service
 * @param words the arguments of the process: only the groups that they name get their commands
 */
export async function buildProgram(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<Command> {
  const program = new Command('lockstep')
    .description('Operate a Lockstep service')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .commandsGroup(OTHER_COMMANDS)
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', HELP)
    .configureOutput({ outputError: (text) => sayAside(formatUsageError(text).trimEnd()) })
    .exitOverride();
  const commands = new Commands(env);
  addSubmitCommand(program, commands);
  await addGroups(program, API_COMMANDS, API_GROUPS, commands, words);
  addEventsCommand(program, commands);
  await addGroups(program, DATABASE_COMMANDS, DATABASE_GROUPS, commands, words);
  addCompletionCommands(program);
  return program;
}

/** Gives an error of commander the form of the command's own: `error: unknown …` becomes `lockstep: Unknown …`. */
function formatUsageError(text: string): string {
  return text.replace(/^error: (.)/, (_, first: string) => `lockstep: ${first.toUpperCase()}`);
}

async function addGroups(
  program: Command,
  heading: string,
  groups: readonly Group[],
  commands: Commands,
  words: readonly string[],
): Promise<void> {
  for (const { name, description, load } of groups) {
    const group = program.command(name).helpGroup(heading).description(description);
    if (words.includes(name)) (await load()).addTo(group, commands);
  }
}
