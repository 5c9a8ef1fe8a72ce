import { type Command, Option } from 'commander';
import { readBaseUrl } from './client.ts';
import { readDemo } from './demo.ts';
import { submit } from './submit.ts';

interface SubmitOptions {
  baseUrl?: string;
  appKey?: string;
  appSecret?: string;
  json?: true;
}
const EMPTY_OPTIONS = {
  baseUrl: '--base-url must not be empty.',
  appKey: '--app-key must not be empty.',
  appSecret: '--app-secret must not be empty.',
};
const SUBMIT_HELP = `
FILE is JSON as the API takes it, UTF-8; - is standard input. What is not given is taken from the demo of a running
npm start. Of more than 50 orders only those that failed are shown.

Exit status: 0 every order succeeded, 2 some failed, 1 the batch was refused or its outcome cannot be seen,
130 Ctrl-C, 143 SIGTERM. The same file may be sent again: nothing is done twice.`;

/** Adds `lockstep submit` to the command. `demoFile` is demo.json, which says what is not given. */
export function addSubmitCommand(program: Command, demoFile: string): void {
  program
    .command('submit <file>')
    .description('send a batch of orders and watch it until every order has its outcome')
    .addOption(new Option('--base-url <url>', 'where the API is').env('LOCKSTEP_BASE_URL'))
    .addOption(new Option('--app-key <key>', 'the application').env('LOCKSTEP_APP_KEY'))
    .addOption(new Option('--app-secret <secret>', 'its secret').env('LOCKSTEP_APP_SECRET'))
    .option('--json', 'show the outcome as JSON, with all orders, and all else on standard error')
    .addHelpText('after', SUBMIT_HELP)
    .action(async (file: string, options: SubmitOptions, command: Command) => {
      const demo = await readDemo(demoFile);
      const given = (name: 'baseUrl' | 'appKey' | 'appSecret'): string | undefined => {
        const value = options[name]?.trim();
        // An empty variable counts as absent; an empty option is a variable of a script that was not set.
        if (value === '' && command.getOptionValueSource(name) === 'cli') throw new Error(EMPTY_OPTIONS[name]);
        return value || demo?.[name];
      };
      const [baseUrl, appKey, appSecret] = [given('baseUrl'), given('appKey'), given('appSecret')];
      if (baseUrl === undefined || appKey === undefined || appSecret === undefined) {
        throw new Error('Where to? Run npm start, or give --base-url, --app-key and --app-secret.');
      }
      const service = { baseUrl: readBaseUrl(baseUrl), appKey, appSecret };
      process.exitCode = await submit(file, service, { json: options.json === true });
    });
}
