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
 * Creates a client for the service named by the options of the command, by their variables, or by DATA_DIR/demo.json.
 * Makes no call.
 */
export async function openClient(command: Command, env: NodeJS.ProcessEnv): Promise<OrderClient> {
  const demoFile = join(readDataDir(env), 'demo.json');
  const demo = await readDemo(demoFile);
  const given = (name: keyof Given): string | undefined => {
    const value = command.opts<Given>()[name]?.trim();
    // An empty environment variable counts as absent. An empty option is an unset variable in a script.
    if (value === '' && command.getOptionValueSource(name) === 'cli')
      throw new CommandFault('usage', EMPTY_OPTIONS[name]);
    return value || demo?.[name];
  };
  const [baseUrl, appKey, appSecret] = [given('baseUrl'), given('appKey'), given('appSecret')];
  if (baseUrl === undefined || appKey === undefined || appSecret === undefined) {
    throw new CommandFault(
      'usage',
      `No service to call: ${demoFile} does not exist. Run npm start, set DATA_DIR to its directory, ` +
        'or pass --base-url, --app-key and --app-secret.',
    );
  }
  return new OrderClient({ baseUrl: readBaseUrl(baseUrl), appKey, appSecret });
}
