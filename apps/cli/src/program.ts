import { createRequire } from 'node:module';
import { Command } from 'commander';
import { Commands } from './commands/actions.ts';
import { addAppCommands } from './commands/app.ts';
import { addAssetCommands } from './commands/asset.ts';
import { addBatchCommands } from './commands/batch.ts';
import { addChannelCommands } from './commands/channel.ts';
import { addDatabaseCommands } from './commands/database.ts';
import { addEventsCommand } from './commands/events.ts';
import { addOperatorCommands } from './commands/operator.ts';
import { addOrderCommands } from './commands/order.ts';
import { addPasswordCommands } from './commands/password.ts';
import { addSubmitCommand } from './commands/submit.ts';
import { addWebhookCommands } from './commands/webhook.ts';

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };

/**
 * Builds the lockstep command with all that it can do (rules 9). It throws where commander would exit. What changes the database leaves an operators' record.
 * @param env the environment, which says where the database and the service are
 */
export function buildProgram(env: NodeJS.ProcessEnv): Command {
  const program = new Command('lockstep').description('Operates a Lockstep service').version(version).exitOverride();
  const commands = new Commands(env);
  addAppCommands(program, commands);
  addPasswordCommands(program, commands);
  addOrderCommands(program, commands);
  addChannelCommands(program, commands);
  addOperatorCommands(program, commands);
  addDatabaseCommands(program, commands);
  addSubmitCommand(program, commands);
  addBatchCommands(program, commands);
  addAssetCommands(program, commands);
  addEventsCommand(program, commands);
  addWebhookCommands(program, commands);
  return program;
}
