import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  /** The words that start it. */
  command: string[];
}

/** The clients: one that reads while it writes, which is always available, and one that writes all before it reads. */
export const CLIENTS: readonly Client[] = [
  { name: 'Node.js fetch', isInstalled: true, command: [process.execPath, join(import.meta.dirname, 'sender.mjs')] },
  {
    name: 'Python http.client',
    isInstalled: spawnSync('python3', ['--version']).status === 0,
    command: ['python3', join(import.meta.dirname, 'sender.py')],
  },
];

/** Sends. Returns a line per call: the status and body of its answer, or "lost" and the reason. */
export async function runSender({ command: [file = '', ...args] }: Client, sending: Sending): Promise<string[]> {
  const { url, count, atOnce, bytes, how, headers } = sending;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const numbers = [count, atOnce, bytes].map(String);
  const { stdout } = await promisify(execFile)(file, [...args, url, ...numbers, how, ...lines]);
  return stdout.trim().split('\n');
}
