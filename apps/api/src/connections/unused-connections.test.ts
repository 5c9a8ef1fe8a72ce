import { once } from 'node:events';
import { connect } from 'node:net';
import { CallVerifier } from '@lockstep/access';
import { createLogger, createMetrics, type Database } from '@lockstep/platform';
import { expect, it } from 'vitest';
import { addHttpMetrics } from '../metrics.ts';
import type { ServerOptions } from '../options.ts';
import { buildServer } from '../server.ts';

it('a server closes although a browser keeps an unused connection', async () => {
  const server = await buildServer({
    log: createLogger({ name: 'test', level: 'silent', secrets: new Set() }),
    metrics: addHttpMetrics(createMetrics()),
    verifier: new CallVerifier({} as Database),
    schema: { isCurrent: async () => true },
    publicUrl: null,
  } as ServerOptions);
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const silent = connect(Number(port), '127.0.0.1');
  await once(silent, 'connect');
  const ended = once(silent.resume(), 'close');
  // Without the fix, this waits for the connection for longer than the test may take.
  await server.close();
  expect(await ended).toEqual([false]);
});
