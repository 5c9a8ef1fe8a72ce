import { explainListenFault } from '@lockstep/config';
import { type Closable, closeAll, Listener } from '@lockstep/platform';
import { MOST_CONNECTIONS } from './calls/connections.ts';
import { buildServer } from './server.ts';
import { type ApiOptions, openServices } from './services.ts';

interface RunningApi extends Closable {
  baseUrl: string;
  /** Resolves when operations work: the database answers and has the schema of this release. */
  untilReady(): Promise<void>;
}

/**
 * Opens the connection pools and starts to listen. Operations fail with service_unavailable until the database is
 * available. `close` stops accepting calls, finishes those in flight, and closes the pools. Throws an Error that names
 * the variable to change if it cannot listen, and what `prepare` throws; the pools are then closed.
 */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const services = openServices(options);
  const { log, batchWatch, eventWatch, schema, db, lanesDb } = services;
  const listener = new Listener({
    url: options.DATABASE_URL,
    applicationName: 'lockstep-watch',
    subscribers: [batchWatch, eventWatch],
    onLost: (error) => log.warn({ err: error }, 'listener connection lost; polling'),
  });
  void schema.untilCurrent().then(() => listener.start());
  let server: Awaited<ReturnType<typeof buildServer>> | undefined;
  const close = () =>
    closeAll({
      // Answers waiting calls at once, so that the server can close.
      watch: async () => batchWatch.close(),
      eventWatch: async () => eventWatch.close(),
      calls: async () => server?.close(),
      listener: () => listener.close(),
      applier: () => services.applier.close(),
      events: () => services.numbering.settle(),
      jobs: () => services.announcer.close(),
      refusals: () => services.refusals.close(),
      schema: () => schema.close(),
      lanesDatabase: () => lanesDb.destroy(),
      database: () => db.destroy(),
    });
  try {
    server = await buildServer(services);
    const baseUrl = await server.listen({ host: options.HOST, port: options.PORT, backlog: MOST_CONNECTIONS });
    await services.prepare(baseUrl);
    return { baseUrl, untilReady: () => schema.untilCurrent(), close };
  } catch (error) {
    await close();
    throw explainListenFault(error, options.HOST, options.PORT);
  }
}
