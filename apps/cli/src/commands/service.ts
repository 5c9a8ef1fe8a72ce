import { type Command, Option } from 'commander';
import { OrderClient, readBaseUrl } from '../client/client.ts';
import { readDemo } from '../stack/demo.ts';

interface Given {
  baseUrl?: string;
  appKey?: string;
  appSecret?: string;
}
const EMPTY_OPTIONS = {
  baseUrl: '--base-url must not be empty.',
  appKey: '--app-key must not be empty.',
  appSecret: '--app-secret must not be empty.',
};

/** The commands that call the API of a service, and how they find it. */
export class ServiceCommands {
  readonly #demoFile: string;

  /** @param demoFile demo.json of a running `npm start`, which says what is not given */
  constructor(demoFile: string) {
    this.#demoFile = demoFile;
  }

  /** Adds a command with the options that say where the service is and who calls. */
  add(parent: Command, usage: string, description: string): Command {
    return parent
      .command(usage)
      .description(description)
      .addOption(new Option('--base-url <url>', 'where the API is').env('LOCKSTEP_BASE_URL'))
      .addOption(new Option('--app-key <key>', 'the application').env('LOCKSTEP_APP_KEY'))
      .addOption(new Option('--app-secret <secret>', 'its secret').env('LOCKSTEP_APP_SECRET'));
  }

  /** A client for the service that the options of the command name, their variables, or the demo. Calls nobody yet. */
  async openClient(command: Command): Promise<OrderClient> {
    const demo = await readDemo(this.#demoFile);
    const given = (name: keyof Given): string | undefined => {
      const value = command.opts<Given>()[name]?.trim();
      // An empty variable counts as absent; an empty option is a variable of a script that was not set.
      if (value === '' && command.getOptionValueSource(name) === 'cli') throw new Error(EMPTY_OPTIONS[name]);
      return value || demo?.[name];
    };
    const [baseUrl, appKey, appSecret] = [given('baseUrl'), given('appKey'), given('appSecret')];
    if (baseUrl === undefined || appKey === undefined || appSecret === undefined) {
      throw new Error(
        `${this.#demoFile} names no service. Run npm start, set DATA_DIR as it is set for npm start, ` +
          'or give --base-url, --app-key and --app-secret.',
      );
    }
    return new OrderClient({ baseUrl: readBaseUrl(baseUrl), appKey, appSecret });
  }
}
