import { join } from 'node:path';
import { readDataDir } from '@lockstep/config/data-dir';
import type { Command } from 'commander';
import { CommandFault } from '../output/status.ts';
import { readDemo } from '../stack/demo-file.ts';
import { nameOf, readGivenFile } from './batch-file.ts';
import { type ClientOptions, OrderClient, readBaseUrl } from './client.ts';

/** The option and the variable of each. */
const NAMES: Record<keyof ClientOptions, string> = {
  baseUrl: '--base-url (LOCKSTEP_BASE_URL)',
  appKey: '--app-key (LOCKSTEP_APP_KEY)',
  appSecret: '--app-secret-file (LOCKSTEP_APP_SECRET)',
};

/**
 * Creates a client for the service and the application that the options of the command and their variables name or, if
 * none is given, those of DATA_DIR/demo.json: no secret goes to an address from elsewhere (rules 9). Makes no call.
 */
export async function openClient(command: Command, env: NodeJS.ProcessEnv): Promise<OrderClient> {
  const demoFile = join(readDataDir(env), 'demo.json');
  const named = (await readGiven(command, env)) ?? (await readDemo(demoFile));
  if (named === undefined) {
    throw new CommandFault(
      'usage',
      `No service to call: ${demoFile} does not exist. Run npm start, set DATA_DIR to its directory, ` +
        'or pass --base-url, --app-key and --app-secret-file.',
    );
  }
  const { baseUrl, appKey, appSecret } = named;
  return new OrderClient({ baseUrl: readBaseUrl(baseUrl), appKey, appSecret });
}

/** Reads the options and their variables. Returns undefined if none is given. */
async function readGiven(command: Command, env: NodeJS.ProcessEnv): Promise<ClientOptions | undefined> {
  const { baseUrl, appKey, appSecretFile } = command.opts<{ [Name in string]?: string }>();
  const variable = (name: string) => env[name]?.trim() || undefined;
  const given = {
    baseUrl: baseUrl ?? variable('LOCKSTEP_BASE_URL'),
    appKey: appKey ?? variable('LOCKSTEP_APP_KEY'),
    appSecret: appSecretFile === undefined ? variable('LOCKSTEP_APP_SECRET') : await readSecret(appSecretFile),
  };
  const missing = (Object.keys(NAMES) as (keyof ClientOptions)[]).filter((name) => given[name] === undefined);
  if (missing.length === 0) return given as ClientOptions;
  if (missing.length === Object.keys(NAMES).length) return undefined;
  throw new CommandFault(
    'usage',
    `Missing: ${missing.map((name) => NAMES[name]).join(', ')}. Give address, key and secret together, ` +
      'or none of them for the demo in DATA_DIR.',
  );
}

/** Reads a secret from a file, because every user can see the arguments of a process. */
async function readSecret(file: string): Promise<string> {
  const secret = (await readGivenFile(file)).toString('utf8').trim();
  if (/^\S+$/.test(secret)) return secret;
  throw new CommandFault('usage', `${nameOf(file)} must contain the secret and nothing else.`);
}
