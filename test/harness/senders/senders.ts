import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);

/** What a client sends. */
export interface Sending {
  /** Contains NONCE where each call has a new one. */
  url: string;
  count: number;
  atOnce: number;
  bytes: number;
  /** With a length; without one; or without one and 1 KiB every 50 ms. */
  how: 'whole' | 'chunked' | 'slow';
  headers: Record<string, string>;
}

/** A popular HTTP client, as its own program. */
interface Client {
  name: string;
  isInstalled: boolean;
  /** Sends. Returns a line per call: the status and body of its answer, or "lost" and the reason. */
  send(sending: Sending): Promise<string[]>;
}

const isInstalled = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

/** The clients; Node's fetch is always available. */
export const CLIENTS: readonly Client[] = [
  {
    name: 'Node.js fetch',
    isInstalled: true,
    send: (sending) => runSender([process.execPath, join(import.meta.dirname, 'sender.mjs')], sending),
  },
  {
    name: 'Python http.client',
    isInstalled: isInstalled('python3', '--version'),
    send: (sending) => runSender(['python3', join(import.meta.dirname, 'sender.py')], sending),
  },
  {
    name: 'Java HttpClient',
    isInstalled: isInstalled('javac', '-version'),
    send: async (sending) => runSender(['java', '-cp', await compiled(), 'Sender'], sending),
  },
  { name: 'curl', isInstalled: isInstalled('curl', '--version'), send: runCurl },
];

let classes: Promise<string> | undefined;

/** Compiles the Java sender once. Returns its path. */
function compiled(): Promise<string> {
  classes ??= (async () => {
    const directory = mkdtempSync(join(inject('directory'), 'java-'));
    await run('javac', ['-d', directory, join(import.meta.dirname, 'Sender.java')]);
    return directory;
  })();
  return classes;
}

async function runSender(
  [file = '', ...args]: string[],
  { url, count, atOnce, bytes, how, headers }: Sending,
): Promise<string[]> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const numbers = [count, atOnce, bytes].map(String);
  const { stdout } = await run(file, [...args, url, ...numbers, how, ...lines]);
  return stdout.trim().split('\n');
}

async function runCurl({ url, count, atOnce, bytes, how, headers }: Sending): Promise<string[]> {
  const directory = mkdtempSync(join(inject('directory'), 'curl-'));
  try {
    const body = join(directory, 'body');
    writeFileSync(body, '{}'.padEnd(bytes));
    // Without the Expect header, so that it writes before it gets an answer.
    const lines = Object.entries({
      ...headers,
      expect: '',
      ...(how === 'whole' ? {} : { 'transfer-encoding': 'chunked' }),
    }).flatMap(([name, value]) => ['--header', `${name}:${value}`]);
    const rate = how === 'slow' ? ['--limit-rate', '20k'] : [];
    const calls = [
      '--parallel',
      '--parallel-immediate',
      '--parallel-max',
      String(atOnce),
      '--output',
      join(directory, 'answer-#1'),
    ];
    const numbered = url.replace('NONCE', `${randomUUID().slice(0, 8)}-[1-${count}]`);
    const written = ['--silent', '--write-out', '%{exitcode} %{http_code} %{filename_effective}\n'];
    const ended = run('curl', [...calls, ...written, ...rate, ...lines, '--data-binary', `@${body}`, numbered]);
    // curl fails if any of its calls does.
    const { stdout } = await ended.catch((error: { stdout: string }) => error);
    return stdout
      .trim()
      .split('\n')
      .map((line) => {
        const [code, status, answer = ''] = line.split(' ');
        if (code !== '0') return `lost with exit code ${code}`;
        return `${status} ${existsSync(answer) ? readFileSync(answer, 'utf8') : ''}`;
      });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
