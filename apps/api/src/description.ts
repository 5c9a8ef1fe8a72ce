import { createLogger, createMetrics } from '@lockstep/platform';
import { addHttpMetrics } from './metrics.ts';
import { buildServer } from './server.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * The API description as a service publishes it whose clients find it at `publicUrl`: for linters and generators, which
 * need no service, no database and no queue.
 */
export async function describeApi(publicUrl: string | null): Promise<object> {
  // Nothing is called, so what would carry out operations is not there.
  const server = await buildServer({
    log: createLogger({ name: 'description', level: 'silent' }),
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
