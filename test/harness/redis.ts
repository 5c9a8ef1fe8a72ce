import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';

/**
 * Provides the Redis of REDIS_URL, or starts one for this run. Throws an Error that says what to do if there is none.
 */
export async function provideRedis(directory: string): Promise<{ url: string; stop: () => Promise<void> }> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  const port = await freePort();
  const server = spawn(
    findRedisServer(),
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    {
      stdio: 'ignore',
    },
  );
  const url = `redis://127.0.0.1:${port}`;
  const redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  await Promise.race([
    redis.ping(),
    once(server, 'exit').then(([code]) => Promise.reject(new Error(`redis-server ended with status ${code}`))),
  ]);
  redis.disconnect();
  return {
    url,
    async stop() {
      server.kill('SIGTERM');
      await once(server, 'exit');
    },
  };
}

/** Finds a redis-server, on Debian as root by installing it. Throws an Error that says what to do if there is none. */
export function findRedisServer(): string {
  const found = findOnPath();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    installWithApt();
    const installed = findOnPath();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    'The tests need a Redis: set REDIS_URL, or install redis-server (Debian: apt-get install redis-server; ' +
      'macOS: brew install redis).',
  );
}

function findOnPath(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'redis-server'))
    .find((file) => existsSync(file));
}

function installWithApt(): void {
  process.stdout.write('Installing redis-server for the tests (apt-get install redis-server)\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'], {
    env,
    stdio: 'ignore',
  });
}

/** Finds a port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
