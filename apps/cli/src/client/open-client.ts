import { join } from 'node:path';
import { readDataDir } from '@lockstep/config/data-dir';
import type { Command } from 'commander';
import { CommandFault } from '../output/status.ts';
import { type Demo, readDemo } from '../stack/demo-file.ts';
import { OrderClient, readBaseUrl } from './client.ts';

const EMPTY_OPTIONS = {
  baseUrl: '--base-url must not be empty.',
  appKey: '--app-key must not be empty.',
  appSecret: '--app-secret must not be empty.',
};
type Given = Partial<Pick<Demo, keyof typeof EMPTY_OPTIONS>>;

/**
 * A client for the service that the options of the command name, their variables, or the demo.json of a running `npm
 * start`. Calls nobody yet.
 */
export async function openClient(command: Command, env: NodeJS.ProcessEnv): Promise<OrderClient> {
  const demoFile = join(readDataDir(env), 'demo.json');
  const demo = await readDemo(demoFile);
  const given = (name: keyof Given): string | undefined => {
    const value = command.opts<Given>()[name]?.trim();
    // An empty variable counts as absent; an empty option is a variable of a script that was not set.
    if (value === '' && command.getOptionValueSource(name) === 'cli')
      throw new CommandFault('usage', EMPTY_OPTIONS[name]);
    return value || demo?.[name];
  };
  const [baseUrl, appKey, appSecret] = [given('baseUrl'), given('appKey'), given('appSecret')];
  if (baseUrl === undefined || appKey === undefined || appSecret === undefined) {
    throw new CommandFault(
      'usage',
      `${demoFile} names no service. Run npm start, set DATA_DIR as it is set for npm start, ` +
        'or give --base-url, --app-key and --app-secret.',
    );
  }
  return new OrderClient({ baseUrl: readBaseUrl(baseUrl), appKey, appSecret });
}
