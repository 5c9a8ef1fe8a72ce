import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Credentials, createApplication } from '@lockstep/access';
import type { Customer } from '@lockstep/contract';
import { openDatabase } from '@lockstep/platform';
import { Api } from '../../harness/api.ts';
import { freePort } from '../../harness/network/redis.ts';
import { BenchProcess } from '../bench-process.ts';
import { createSome } from '../load/senders.ts';
import type { Machine } from './machine.ts';

const CUSTOMERS = 500;

/** A checkout to measure, and a template database with its migrations. */
export interface Edition {
  name: 'now' | 'before';
  directory: string;
  template: string;
  credentials: Credentials;
  customers: Customer[];
}

/** Reads from package.json how `npm run` and deployments start an app: its file and the flags of Node.js. */
export async function readStart(directory: string, app: 'api' | 'worker'): Promise<{ file: string; flags: string[] }> {
  const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const [, , ...words] = scripts[app].split(' ') as string[];
  return { flags: words.slice(0, -1), file: words.at(-1)! };
}

/** Migrates a database with the checkout's own command, then creates an application and customers. */
export async function prepareEdition(machine: Machine, name: Edition['name'], directory: string): Promise<Edition> {
  const url = await machine.createDatabase();
  const env = { DATABASE_URL: url, REDIS_URL: '' };
  await promisify(execFile)(process.execPath, ['apps/cli/src/migrate.ts'], {
    cwd: directory,
    env: { ...process.env, ...env },
  });
  const db = openDatabase({ url, poolSize: 1, applicationName: 'bench', onError: () => {} });
  const credentials = await createApplication(db, { name: 'Bench', scopes: ['auth_order'], approved: true });
  await db.destroy();
  const port = await freePort();
  const api = await BenchProcess.start({
    directory,
    ...(await readStart(directory, 'api')),
    env: { ...env, PORT: String(port) },
    readyText: 'api ready',
    logFile: join(machine.directory, `${name}.log`),
  });
  try {
    const caller = await Api.logIn(`http://127.0.0.1:${port}`, credentials);
    const customers = await createSome(CUSTOMERS, (index) => caller.newCustomer(`Bench ${index % 10}`));
    return { name, directory, template: new URL(url).pathname.slice(1), credentials, customers };
  } finally {
    await api.stop();
  }
}
