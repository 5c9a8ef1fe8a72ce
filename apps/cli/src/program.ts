import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listApplications, PasswordHasher } from '@lockstep/access';
import type { Config } from '@lockstep/config';
import { DEFAULT_OVERLAP_HOURS, type EnterpriseId, type MemberId, Scope } from '@lockstep/contract';
import { createAdministrator, setPassword } from '@lockstep/members';
import {
  changeApplicationStatus,
  newCommand,
  recordedCall,
  registerApplication,
  rotateApplicationSecret,
} from '@lockstep/operators';
import { Command, Option } from 'commander';
import { addAssetCommands } from './client/assets.ts';
import { addBatchCommands } from './client/batches.ts';
import { addOrderCommands } from './client/orders.ts';
import { addWebhookCommands } from './client/webhooks.ts';
import { addDatabaseCommands } from './commands/database.ts';
import { addEventCommand } from './commands/events.ts';
import { ServiceCommands } from './commands/service.ts';
import { addSubmitCommand } from './commands/submit.ts';
import { addChannel, parseName, parseOverlapHours } from './database/applications.ts';
import { addChannelCommands } from './database/channels.ts';
import { addOperatorCommands } from './database/operators.ts';
import { addFailCommands } from './database/orders.ts';
import { type WithDatabase, withDatabaseOf } from './database/with-database.ts';
import { say } from './output/terminal.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

/**
 * Builds the lockstep command with all that it can do (rules 9). What changes the database leaves an operators' record.
 */
export function buildProgram(config: Config): Command {
  const program = new Command('lockstep').description('Operates a Lockstep service').version(version);
  const withDatabase = withDatabaseOf(config);
  const service = new ServiceCommands(join(config.DATA_DIR, 'demo.json'));
  addApplicationCommands(program, withDatabase);
  addPasswordCommands(program, withDatabase);
  const order = program.command('order').description('orders that were accepted');
  addFailCommands(order, withDatabase);
  addChannelCommands(program, withDatabase);
  addOperatorCommands(program, withDatabase);
  addDatabaseCommands(program, config, withDatabase);
  addSubmitCommand(program, service);
  addBatchCommands(program, service);
  addOrderCommands(order, service);
  addAssetCommands(program, service);
  addEventCommand(program, service);
  addWebhookCommands(program, service);
  return program;
}

/** Adds `lockstep app …`: who may call the API. */
function addApplicationCommands(program: Command, withDatabase: WithDatabase): void {
  const app = program.command('app').description('applications that may call the API');
  app
    .command('create')
    .description('register an application; prints its key and, this once, its secret')
    .requiredOption('--name <name>', 'what it is called', parseName)
    .addOption(new Option('--scope <scope...>', 'what it may use').choices(Scope.options).makeOptionMandatory())
    .option('--channel <channel>', 'bind it to this channel; more than one: repeat it', addChannel)
    .option('--approve', 'approve it at once')
    .action(async (options: { name: string; scope: string[]; channel?: string[]; approve?: boolean }) => {
      const application = {
        name: options.name,
        scopes: [...new Set(options.scope.map((word) => Scope.parse(word)))],
        channels: options.channel ?? null,
        approved: options.approve === true,
      };
      say(JSON.stringify(await withDatabase((db) => registerApplication(db, application, newCommand()))));
    });
  app
    .command('list')
    .description('all applications, oldest first, a line of JSON each; no secrets')
    .action(async () => {
      for (const application of await withDatabase(listApplications)) say(JSON.stringify(application));
    });
  app
    .command('rotate-secret <appKey>')
    .description('give an application a new secret; prints its key and, this once, the secret')
    .option(
      '--overlap-hours <hours>',
      'how long the secret that it has stays good; 0: not at all, and all tokens are revoked',
      parseOverlapHours,
      DEFAULT_OVERLAP_HOURS,
    )
    .action(async (appKey: string, { overlapHours }: { overlapHours: number }) => {
      const { appSecret } = await withDatabase((db) => rotateApplicationSecret(db, appKey, overlapHours, newCommand()));
      say(JSON.stringify({ appKey, appSecret }));
    });
  for (const [name, status, description] of [
    ['approve', 'approved', 'let an application call'],
    ['suspend', 'suspended', 'stop an application, and revoke its tokens'],
  ] as const) {
    app
      .command(`${name} <appKey>`)
      .description(description)
      .action(async (appKey: string) => {
        await withDatabase((db) => changeApplicationStatus(db, appKey, status, newCommand()));
        say(`${appKey} is ${status}`);
      });
  }
}

/** Adds `lockstep member …` and `lockstep enterprise …`: passwords of employees. */
function addPasswordCommands(program: Command, withDatabase: WithDatabase): void {
  program
    .command('member')
    .description('employees of enterprises')
    .command('set-password <globalId>')
    .description('give an employee a new password; prints the account and, this once, the password')
    .action(async (globalId: string) => {
      const login = await withDatabase((db) =>
        setPassword(
          { db, passwords: new PasswordHasher() },
          globalId as MemberId,
          recordedCall(newCommand(), 'employee.password_reset'),
        ),
      );
      if (login === undefined) throw new Error(`There is no employee ${globalId}.`);
      say(JSON.stringify(login));
    });

  program
    .command('enterprise')
    .description('enterprise main accounts')
    .command('create-admin <globalId>')
    .description('make a new administrator; prints the account and, this once, the password')
    .action(async (globalId: string) => {
      const login = await withDatabase((db) =>
        createAdministrator(
          { db, passwords: new PasswordHasher() },
          globalId as EnterpriseId,
          recordedCall(newCommand(), 'administrator.created'),
        ),
      );
      if (login === undefined) throw new Error(`There is no enterprise ${globalId}.`);
      say(JSON.stringify(login));
    });
}
