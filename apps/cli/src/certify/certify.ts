import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSecret } from '@lockstep/access';
import { readConfig, SECRET_KEYS } from '@lockstep/config';
import { requireOwn } from '@lockstep/embedded-postgres/own-files';
import { type Closable, closeAll, createLogger, openDatabase, type StartPart } from '@lockstep/platform';
import { sql } from 'kysely';
import { CommandFault } from '../output/status.ts';
import { say, sayAside } from '../output/terminal.ts';
import { runService } from '../stack/service.ts';
import { FaultPlan } from './faults.ts';
import { readLedger } from './ledger.ts';
import { prepareMagic } from './magic.ts';
import { FaultyProxy } from './proxy.ts';
import type { Probe } from './record.ts';
import { buildReport, formatReport } from './report.ts';
import { probeWebhooks } from './webhooks.ts';

/** The time that the command has to end. */
const END_MS = 5_000;

interface Options {
  seed?: number;
  port: number;
  for?: number;
  json?: true;
}

/**
 * Runs a sandbox that disturbs the calls of an integration, until Ctrl-C, the time is over, or `command` ends, which
 * gets the sandbox's address and credentials. Then prints what the integration did wrong (rules 9).
 *
 * Throws a CommandFault: refused if it did something wrong, no call was disturbed, or the command failed; that of a
 * signal in any case, as `npx` ends by it.
 */
export async function certify(command: string[], options: Options): Promise<void> {
  const { seed = Math.floor(Math.random() * 1_000_000), json } = options;
  const stop = new AbortController();
  // `on`, not `once`: npm forwards a signal that the whole process group receives.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stop.abort(new CommandFault(signal, 'Stopped.')));
  const { report, commandFault } = await runSandbox(command, seed, options, stop.signal);
  say(json ? JSON.stringify(report) : formatReport(report));
  stop.signal.throwIfAborted();
  const { findings, faults } = report;
  const wrong = [
    ...(commandFault === undefined ? [] : [commandFault]),
    ...(findings.length > 0 ? [`Findings: ${findings.length}. See the report.`] : []),
    ...(Object.keys(faults).length > 0 ? [] : ['No call was disturbed, so the run proves nothing.']),
  ];
  if (wrong.length > 0) throw new CommandFault('refused', wrong.join(' '));
}

async function runSandbox(command: readonly string[], seed: number, options: Options, stop: AbortSignal) {
  const parts: [name: string, close: () => Promise<unknown>][] = [];
  const startPart: StartPart = async (name, start) => {
    stop.throwIfAborted();
    const part = await start(stop);
    parts.unshift([name, () => part.close()]);
    return part;
  };
  try {
    const proxy = await startPart('proxy', () => FaultyProxy.open(options.port, new FaultPlan(seed)));
    const { dataDir } = await startPart('directory', createDirectory);
    // No other variable counts, so that the sandbox never touches a deployment.
    const sandbox = { DATA_DIR: dataDir, PORT: '0', PUBLIC_URL: proxy.baseUrl, WEBHOOK_ALLOW_PRIVATE: 'true' };
    const config = readConfig(sandbox);
    const log = createLogger({ name: 'certify', level: 'silent', secrets: SECRET_KEYS });
    sayAside('Starting a sandbox …');
    const { database, api, demo } = await runService(config, log, startPart);
    const { db } = await startPart('certify', async () => openOwnDatabase(database.url));
    await prepareMagic(db);
    const probes: Probe[] = [];
    const probing = await startPart('probes', async () => probeWebhooks(db, probes));
    const revoke = (token: string) => sql`delete from access_token where token_hash = ${hashSecret(token)}`.execute(db);
    proxy.forwardTo({ baseUrl: api.baseUrl, revoke });
    const env = {
      LOCKSTEP_BASE_URL: proxy.baseUrl,
      LOCKSTEP_APP_KEY: demo.appKey,
      LOCKSTEP_APP_SECRET: demo.appSecret,
    };
    sayAside(`Seed ${seed}. Point the integration at this sandbox. Webhooks may be on this machine.`);
    for (const [name, value] of Object.entries(env)) sayAside(`${name}=${value}`);
    const commandFault = await untilDone(command, env, options.for, stop);
    await probing.close();
    const ledger = await readLedger(db, demo.appKey);
    return { report: buildReport({ calls: proxy.calls, probes, ledger }, seed), commandFault };
  } finally {
    await closeAll(Object.fromEntries(parts));
  }
}

/** Waits for the end of the command, the time or Ctrl-C. Returns how the command failed, unless it was ended. */
async function untilDone(
  [file, ...words]: readonly string[],
  env: Record<string, string>,
  seconds: number | undefined,
  stop: AbortSignal,
): Promise<string | undefined> {
  const over = seconds === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(seconds * 1_000)]);
  if (file === undefined) {
    sayAside(`The report follows ${seconds === undefined ? 'at Ctrl-C' : `in ${seconds} s, or at Ctrl-C`}.`);
    if (!over.aborted) await once(over, 'abort');
    return undefined;
  }
  // Its output is not the report.
  const child = spawn(file, words, { env: { ...process.env, ...env }, stdio: ['inherit', 2, 2] });
  over.addEventListener('abort', () => {
    child.kill();
    setTimeout(() => child.kill('SIGKILL'), END_MS).unref();
  });
  const [status, signal] = await once(child, 'exit').catch((error: Error) => {
    throw new CommandFault('usage', `${file} can't be run: ${error.message}`);
  });
  if (over.aborted || status === 0) return undefined;
  return signal === null ? `${file} ended with status ${status}.` : `${file} was ended by ${signal}.`;
}

/** Removes what runs that were killed have left: their directories name a process that is gone. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^lockstep-certify-(\d+)-/.exec(name) ?? [];
    const directory = join(tmpdir(), name);
    try {
      if (pid !== undefined) process.kill(Number(pid), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue;
      requireOwn(directory);
      await rm(directory, { recursive: true, force: true });
    }
  }
}

async function createDirectory(): Promise<Closable & { dataDir: string }> {
  await removeLeftovers().catch(() => {});
  const directory = await mkdtemp(join(tmpdir(), `lockstep-certify-${process.pid}-`));
  // PostgreSQL may run as another user, who must be able to traverse it.
  await chmod(directory, 0o711);
  const close = () => rm(directory, { recursive: true, force: true, maxRetries: 10 });
  return { dataDir: join(directory, 'data'), close };
}

function openOwnDatabase(url: string) {
  const db = openDatabase({ url, poolSize: 4, applicationName: 'lockstep-certify', onError: () => {} });
  return { db, close: () => db.destroy() };
}
