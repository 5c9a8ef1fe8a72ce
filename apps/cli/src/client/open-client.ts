import { resolve } from 'node:path';
import { readDataDir } from '@lockstep/config/data-dir';
import type { Command } from 'commander';
import { CommandFault } from '../output/status.ts';
import { readDemo } from '../stack/demo-file.ts';
import { nameOf, readGivenFile } from './batch-file.ts';
import { type ClientOptions, OrderClient } from './client.ts';

/** The option and the variable of each. */
const APPLICATION = {
  baseUrl: '--base-url (LOCKSTEP_BASE_URL)',
  appKey: '--app-key (LOCKSTEP_APP_KEY)',
  appSecret: '--app-secret-file (LOCKSTEP_APP_SECRET)',
};
/** The same with an administrator, for commands of the member center. */
const USER = {
  ...APPLICATION,
  enterpriseGlobalId: '--enterprise (LOCKSTEP_ENTERPRISE)',
  account: '--account (LOCKSTEP_ACCOUNT)',
  password: '--password-file (LOCKSTEP_PASSWORD)',
};

/**
 * Creates a client for the service, the application and with `isOfUser` the administrator that the options of the
 * command and their variables name or, if none is given, those of DATA_DIR/demo.json: no secret goes to an address from
 * elsewhere (rules 9). Makes no call.
 */
export async function openClient(command: Command, env: NodeJS.ProcessEnv, isOfUser = false): Promise<OrderClient> {
  return new OrderClient(await readOptions(command, env, isOfUser));
}

/** Reads what `openClient` needs. */
export async function readOptions(command: Command, env: NodeJS.ProcessEnv, isOfUser: boolean): Promise<ClientOptions> {
  const demoFile = resolve(readDataDir(env), 'demo.json');
  const named = (await readGiven(command, env, isOfUser ? USER : APPLICATION)) ?? (await readDemoOptions(demoFile));
  if (named === undefined) {
    throw new CommandFault(
      'usage',
      `No service to call: ${demoFile} does not exist. Run npm start, set DATA_DIR to its directory, ` +
        `or pass ${isOfUser ? 'all of the options for the service and the administrator' : '--base-url, --app-key and --app-secret-file'}.`,
    );
  }
  const { baseUrl, appKey, appSecret, enterpriseGlobalId, account, password } = named;
  const user = { enterpriseGlobalId, account, password };
  return { baseUrl, appKey, appSecret, ...(isOfUser && { user }) };
}

type Given = Record<keyof typeof USER, string>;

async function readDemoOptions(file: string): Promise<Given | undefined> {
  const demo = await readDemo(file);
  return demo && { ...demo, account: demo.adminAccount, password: demo.adminPassword };
}

/** Reads the options and their variables. Returns undefined if none is given. */
async function readGiven(command: Command, env: NodeJS.ProcessEnv, names: Partial<Given>): Promise<Given | undefined> {
  const { baseUrl, appKey, appSecretFile, enterprise, account, passwordFile } =
    command.opts<{ [Name in string]?: string }>();
  const variable = (name: string) => env[name]?.trim() || undefined;
  const given = {
    baseUrl: baseUrl ?? variable('LOCKSTEP_BASE_URL'),
    appKey: appKey ?? variable('LOCKSTEP_APP_KEY'),
    appSecret: appSecretFile === undefined ? variable('LOCKSTEP_APP_SECRET') : await readSecret(appSecretFile),
    enterpriseGlobalId: enterprise ?? variable('LOCKSTEP_ENTERPRISE'),
    account: account ?? variable('LOCKSTEP_ACCOUNT'),
    password: passwordFile === undefined ? env.LOCKSTEP_PASSWORD || undefined : await readPassword(passwordFile),
  };
  const missing = (Object.keys(names) as (keyof Given)[]).filter((name) => given[name] === undefined);
  if (missing.length === 0) return given as Given;
  if (missing.length === Object.keys(names).length) return undefined;
  throw new CommandFault(
    'usage',
    `Missing: ${missing.map((name) => names[name]).join(', ')}. Give all of them together, ` +
      'or none of them for the demo in DATA_DIR.',
  );
}

/** Reads a password, which may contain spaces, from a file of one line. */
async function readPassword(file: string): Promise<string> {
  return (await readGivenFile(file)).toString('utf8').replace(/\r?\n$/, '');
}

/** Reads a secret from a file, because every user can see the arguments of a process. */
async function readSecret(file: string): Promise<string> {
  const secret = (await readGivenFile(file)).toString('utf8').trim();
  if (/^\S+$/.test(secret)) return secret;
  throw new CommandFault('usage', `${nameOf(file)} must contain the secret and nothing else.`);
}
