import { type Command, Option } from 'commander';
import type { OrderClient } from '../client/client.ts';
import type { DatabaseTools } from '../database/with-database.ts';

/** What a command does: it gets its arguments, and then its options. */
type Action<Tools> = (tools: Tools, ...argumentsAndOptions: never[]) => Promise<void>;

/**
 * Adds commands. What a command does is loaded when it runs, so that `--help` and completion load nothing but these
 * declarations, and no command waits for what only others need.
 */
export class Commands {
  readonly #env: NodeJS.ProcessEnv;

  /** @param env the environment, which says where the database and the service are */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Adds a command that works on the database. */
  onDatabase(parent: Command, usage: string, description: string, load: () => Promise<Action<DatabaseTools>>): Command {
    return parent
      .command(usage)
      .description(description)
      .action(async (...given: unknown[]) => {
        const { openTools } = await import('../database/with-database.ts');
        const action = await load();
        await action(openTools(this.#env), ...(given.slice(0, -1) as never[]));
      });
  }

  /** Adds a command that calls the API, with the options that say where the service is and who calls. */
  onService(parent: Command, usage: string, description: string, load: () => Promise<Action<OrderClient>>): Command {
    return parent
      .command(usage)
      .description(description)
      .addOption(new Option('--base-url <url>', 'where the API is').env('LOCKSTEP_BASE_URL'))
      .addOption(new Option('--app-key <key>', 'the application').env('LOCKSTEP_APP_KEY'))
      .addOption(new Option('--app-secret <secret>', 'its secret').env('LOCKSTEP_APP_SECRET'))
      .action(async (...given: unknown[]) => {
        const { openClient } = await import('../client/open-client.ts');
        const action = await load();
        await action(await openClient(given.at(-1) as Command, this.#env), ...(given.slice(0, -1) as never[]));
      });
  }
}
