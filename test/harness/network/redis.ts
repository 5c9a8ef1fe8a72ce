import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { provideProgram } from '../processes/installed-program.ts';

/**
 * Returns the Redis of REDIS_URL, or starts one for this run. Throws an Error that says what to do if there is none.
 */
export async function provideRedis(directory: string): Promise<{ url: string; stop: () => Promise<void> }> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  const port = await freePort();
  const server = spawn(
    findRedisServer(),
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    { stdio: 'ignore' },
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

/** Finds a redis-server; on Debian as root, installs one. Throws an Error that says what to do if there is none. */
export function findRedisServer(): string {
  return provideProgram({
    command: 'redis-server',
    debianPackage: 'redis-server',
    otherwise:
      'The tests need a Redis: set REDIS_URL, or install redis-server (Debian: apt-get install redis-server; ' +
      'macOS: brew install redis).',
  });
}

/** Ports below those that systems use for outgoing connections, and above those that fetch blocks. */
const PORTS = { first: 11_000, count: 20_000 };
/** The distance between the first ports of processes with consecutive ids, so that no two take the same port. */
const PORTS_OF_PROCESS = 100;
let ports = 0;

/** Returns a free port, which stays free until a server listens on it and while that server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + ((process.pid * PORTS_OF_PROCESS + ports++) % PORTS.count);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
