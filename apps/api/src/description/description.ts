import { createLogger, createMetrics } from '@lockstep/platform';
import { addHttpMetrics } from '../metrics.ts';
import type { ServerOptions } from '../options.ts';
import { buildServer } from '../server.ts';

/** Returns the API description as a service at `publicUrl` publishes it. Needs no service, database or queue. */
export async function describeApi(publicUrl: string | null): Promise<object> {
  // No operation is called, so the services behind them are missing.
  const server = await buildServer({
    log: createLogger({ name: 'description', level: 'silent', secrets: new Set() }),
    metrics: addHttpMetrics(createMetrics()),
    publicUrl,
  } as ServerOptions);
  try {
    await server.ready();
    return server.swagger();
  } finally {
    await server.close();
  }
}
