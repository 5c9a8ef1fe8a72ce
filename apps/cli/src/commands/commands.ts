import type { Config } from '@lockstep/config';
import type { Database } from '@lockstep/platform';
import type { Command } from 'commander';
import type { CalledId, OrderClient } from '../client/client.ts';
import type { Declared } from '../client/declared.ts';
import { addExportOptions, addListOptions, JSON_OPTION, parseFileName, parseId, parseText } from '../options.ts';
import { sayResult } from '../output/terminal.ts';

/** The headings of the help, which say whose data a command covers. */
export const API_COMMANDS = 'API commands (one application):';
export const DATABASE_COMMANDS = 'Database commands (all applications):';

/**
 * What a command does. It gets the command's arguments, then its options. The command prints what it returns: a string,
 * an object as JSON, or a list as one JSON object per line.
 */
type Action<Tool> = (tool: Tool, ...argumentsAndOptions: never[]) => Promise<unknown>;
/** The names of the actions in a module. */
type ActionName<Module, Tool> = {
  [Name in keyof Module]: Module[Name] extends Action<Tool> ? Name : never;
}[keyof Module];
/** Adds a command with an action of a module. */
type Add<Module, Tool> = (usage: string, description: string, action: ActionName<Module, Tool>) => Command;

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

  /** Returns a function that adds commands on the database, which cover all applications. */
  onDatabase<Module>(parent: Command, load: () => Promise<Module>): Add<Module, Database> {
    return (usage, description, name) =>
      addCommand(parent, DATABASE_COMMANDS, usage, description, async (given) => {
        const { readCommandConfig, withDatabase } = await import('../database/with-database.ts');
        const action = (await load())[name] as Action<Database>;
        return await withDatabase(readCommandConfig(this.#env), (db) => action(db, ...given));
      });
  }

  /** Returns a function that adds commands on the embedded PostgreSQL of `npm start`. */
  onStack<Module>(parent: Command, load: () => Promise<Module>): Add<Module, Config> {
    return (usage, description, name) =>
      addCommand(parent, DATABASE_COMMANDS, usage, description, async (given) => {
        const { readStackConfig } = await import('../database/with-database.ts');
        const action = (await load())[name] as Action<Config>;
        return await action(readStackConfig(this.#env), ...given);
      });
  }

  /**
   * Returns a function that adds commands that call the API as one application; with `isOfUser`, also as an
   * administrator, for the member center.
   */
  onService<Module>(parent: Command, load: () => Promise<Module>, isOfUser = false): Add<Module, OrderClient> {
    return (usage, description, name) => {
      const run = async (client: OrderClient, given: never[]) =>
        await ((await load())[name] as Action<OrderClient>)(client, ...given);
      return this.#addCall(parent, usage, description, run, isOfUser);
    };
  }

  /**
   * Returns a function that adds commands that call one operation of the API: the declaration says what they print
   * without --json. Their arguments and options fill the fields of the call.
   */
  operations(parent: Command, isOfUser = false) {
    return <Id extends CalledId, Row>(usage: string, description: string, declared: Declared<Id, Row>) => {
      const run = async (client: OrderClient, _: never[], command: Command) => {
        const { callDeclared } = await import('../client/declared.ts');
        await callDeclared(client, command, declared);
      };
      const added = this.#addCall(parent, usage, description, run, isOfUser).option(...JSON_OPTION);
      if (!('columns' in declared)) return added;
      return addExportOptions(declared.isOnePage ? added : addListOptions(added));
    };
  }

  #addCall(
    parent: Command,
    usage: string,
    description: string,
    run: (client: OrderClient, given: never[], command: Command) => Promise<unknown>,
    isOfUser: boolean,
  ): Command {
    const added = addCommand(parent, API_COMMANDS, usage, description, async (given, command) => {
      const { openClient } = await import('../client/open-client.ts');
      return await run(await openClient(command, this.#env, isOfUser), given, command);
    })
      .option('--base-url <url>', 'Address of the API (env: LOCKSTEP_BASE_URL)', parseText)
      .option('--app-key <key>', 'appKey of the application (env: LOCKSTEP_APP_KEY)', parseText)
      .option(
        '--app-secret-file <file>',
        'File that contains only the secret itself; - reads the secret from standard input (env: LOCKSTEP_APP_SECRET)',
        parseFileName,
      );
    if (!isOfUser) return added;
    return added
      .option('--enterprise <id>', 'enterpriseGlobalId of the administrator (env: LOCKSTEP_ENTERPRISE)', parseId)
      .option('--account <account>', 'Account of the administrator (env: LOCKSTEP_ACCOUNT)', parseText)
      .option('--password-file <file>', 'File that contains only the password (env: LOCKSTEP_PASSWORD)', parseFileName);
  }
}

function addCommand(
  parent: Command,
  heading: string,
  usage: string,
  description: string,
  run: (given: never[], command: Command) => Promise<unknown>,
): Command {
  return parent
    .command(usage)
    .helpGroup(heading)
    .description(description)
    .action(async (...given: unknown[]) => {
      sayResult(await run(given.slice(0, -1) as never[], given.at(-1) as Command));
    });
}
