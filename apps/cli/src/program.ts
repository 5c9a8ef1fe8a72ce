import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import {
  addAppCommands,
  addChannelCommands,
  addDatabaseCommands,
  addEnterpriseCommands,
  addOperatorCommands,
} from './commands/administration.ts';
import { addAssetCommands } from './commands/asset.ts';
import { addBatchCommands, addEventsCommand, addSubmitCommand } from './commands/batch.ts';
import { addCertifyCommand } from './commands/certify.ts';
import { Commands } from './commands/commands.ts';
import { addCustomerCommands } from './commands/customer.ts';
import { addMemberCommands } from './commands/member.ts';
import { addOrderCommands } from './commands/order.ts';
import { addRefusalCommands } from './commands/refusal.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { addCompletionCommands } from './completion.ts';
import { sayAside } from './output/terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const HELP = `
API commands act as one application and see only its data. Name the service and
the application with --base-url, --app-key and --app-secret-file or their
variables; without any of them, the command uses the demo of npm start, in
DATA_DIR/demo.json. The commands of member call the member center, and also need
--enterprise, --account and --password-file of an administrator.
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

/** The commands, in the order of the help. */
const ADD = [
  addSubmitCommand,
  addBatchCommands,
  addOrderCommands,
  addAssetCommands,
  addCustomerCommands,
  addWebhookCommands,
  addRefusalCommands,
  addEventsCommand,
  addMemberCommands,
  addChannelCommands,
  addAppCommands,
  addOperatorCommands,
  addEnterpriseCommands,
  addDatabaseCommands,
  addCertifyCommand,
  addCompletionCommands,
];

/**
 * Builds the lockstep command (rules 9). Where commander would exit the process, the returned command throws.
 * @param env the environment, which names the database and the service
 */
export function buildProgram(env: NodeJS.ProcessEnv): Command {
  const program = new Command('lockstep')
    .description('Operate a Lockstep service')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .commandsGroup('Other commands:')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', HELP)
    .configureOutput({ outputError: (text) => sayAside(formatUsageError(text).trimEnd()) })
    // For certify, which passes on the options of another command.
    .enablePositionalOptions()
    .exitOverride();
  const commands = new Commands(env);
  for (const add of ADD) add(program, commands);
  return program;
}

/** Gives an error of commander the form of the command's own: `error: unknown …` becomes `lockstep: Unknown …`. */
function formatUsageError(text: string): string {
  return text.replace(/^error: (.)/, (_, first: string) => `lockstep: ${first.toUpperCase()}`);
}
