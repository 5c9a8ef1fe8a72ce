import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { Commands } from './commands/actions.ts';
import { addCompletionCommands } from './commands/completion.ts';
import { addEventsCommand } from './commands/events.ts';
import { addSubmitCommand } from './commands/submit.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Adds the commands of a group. */
type AddTo = (group: Command, commands: Commands) => void;

/** Groups of commands: their names and descriptions, and the module that has their commands. */
const GROUPS: [name: string, description: string, load: () => Promise<{ addTo: AddTo }>][] = [
  ['app', 'applications that may call the API', () => import('./commands/app.ts')],
  ['member', 'employees of enterprises', () => import('./commands/member.ts')],
  ['enterprise', 'enterprise main accounts', () => import('./commands/enterprise.ts')],
  ['order', 'orders that were accepted', () => import('./commands/order.ts')],
  ['channel', 'channels: what waits in them, and pausing them', () => import('./commands/channel.ts')],
  ['operator', 'who may log in to the console', () => import('./commands/operator.ts')],
  ['database', 'backup and restore', () => import('./commands/database.ts')],
  ['batch', 'batches of orders that the application has sent', () => import('./commands/batch.ts')],
  ['asset', 'assets by their number', () => import('./commands/asset.ts')],
  ['webhook', 'where events are sent', () => import('./commands/webhook.ts')],
];

/**
 * Builds the lockstep command (rules 9). It throws where commander would exit. What changes the database leaves an
 * operators' record.
 * @param env the environment, which says where the database and the service are
 * @param words what was typed behind the name of the command: only groups that are among them have their commands
 */
export async function buildProgram(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<Command> {
  const program = new Command('lockstep').description('Operates a Lockstep service').version(version).exitOverride();
  const commands = new Commands(env);
  for (const [name, description, load] of GROUPS) {
    // In the place that they always had.
    if (name === 'batch') addSubmitCommand(program, commands);
    if (name === 'webhook') addEventsCommand(program, commands);
    const group = program.command(name).description(description);
    if (words.includes(name)) (await load()).addTo(group, commands);
  }
  addCompletionCommands(program);
  return program;
}
