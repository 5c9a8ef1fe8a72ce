import type { Command } from 'commander';
import type { OrderClient } from '../client/client.ts';
import type { DatabaseTools } from '../database/with-database.ts';
import { parseFileName, parseText } from '../options.ts';

/** The headings of the help, which say whose data a command covers. */
export const API_COMMANDS = 'API commands (one application):';
export const DATABASE_COMMANDS = 'Database commands (all applications):';
export const OTHER_COMMANDS = 'Other commands:';

/** What a command does. It gets the command's arguments, then its options. */
type Action<Tools> = (tools: Tools, ...argumentsAndOptions: never[]) => Promise<void>;

/**
 * Adds commands. An action is loaded when it runs, so that `--help` and completion load only these declarations, and a
 * command loads only what it needs.
 */
export class Commands {
  readonly #env: NodeJS.ProcessEnv;

  /** @param env the environment, which names the database and the service */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Adds a command that works on the database, and so covers all applications. */
  onDatabase(parent: Command, usage: string, description: string, load: () => Promise<Action<DatabaseTools>>): Command {
    return parent
      .command(usage)
      .helpGroup(DATABASE_COMMANDS)
      .description(description)
      .action(async (...given: unknown[]) => {
        const { openTools } = await import('../database/with-database.ts');
        const action = await load();
        await action(openTools(this.#env), ...(given.slice(0, -1) as never[]));
      });
  }

  /** Adds a command that calls the API as one application, with the options for the address and the credentials. */
  onService(parent: Command, usage: string, description: string, load: () => Promise<Action<OrderClient>>): Command {
    return parent
      .command(usage)
      .helpGroup(API_COMMANDS)
      .description(description)
      .option('--base-url <url>', 'Address of the API (env: LOCKSTEP_BASE_URL)', parseText)
      .option('--app-key <key>', 'appKey of the application (env: LOCKSTEP_APP_KEY)', parseText)
      .option(
        '--app-secret-file <file>',
        'File with the secret of the application; - reads standard input (env: LOCKSTEP_APP_SECRET)',
        parseFileName,
      )
      .action(async (...given: unknown[]) => {
        const { openClient } = await import('../client/open-client.ts');
        const action = await load();
        await action(await openClient(given.at(-1) as Command, this.#env), ...(given.slice(0, -1) as never[]));
      });
  }
}
