import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createLogger, createMetrics } from '@lockstep/platform';
import { expect, it } from 'vitest';
import { Lingering } from './connections.ts';
import { httpServer } from './http-server.ts';
import { addHttpMetrics } from './metrics.ts';

it('closes connections beyond its limit at once, counts them, and logs that once', async () => {
  const lines: string[] = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: new Set() },
    { write: (line) => void lines.push(line) },
  );
  const metrics = addHttpMetrics(createMetrics());
  const server = httpServer(log, metrics, new Lingering()).serverFactory?.(() => {}, {
    requestTimeout: 1_000,
  }) as Server;
  expect(server.maxConnections).toBe(4_000);
  server.maxConnections = 1;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const first = connect(port, '127.0.0.1');
  try {
    await once(first, 'connect');
    for (let count = 1; count <= 2; count++) {
      const refused = connect(port, '127.0.0.1')
        .on('error', () => {})
        .resume();
      await once(refused, 'close');
      expect((await metrics.httpConnectionsRefused.get()).values).toMatchObject([{ value: count }]);
    }
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, maxConnections: 4_000 }]);
    expect(first.destroyed).toBe(false);
  } finally {
    first.destroy();
    server.close();
  }
});
