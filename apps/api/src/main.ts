import { readBacklog } from '@lockstep/orders';
import {
  closeAll,
  configOrExit,
  createLogger,
  createMetrics,
  openDatabase,
  queueBackendOf,
  readDeploymentConfig,
  runUntilSignal,
} from '@lockstep/platform';
import { API_QUERY_TIMEOUT_MS, LANES_POOL, startApi } from './api.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL ?? 'info' });

await runUntilSignal(log, async () => {
  const open = (
    applicationName: string,
    bounds: { poolSize: number; queryTimeoutMs: number; lockTimeoutMs?: number },
  ) => {
    const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
    return openDatabase({ url: config.DATABASE_URL, applicationName, onError, ...bounds });
  };
  const db = open('lockstep-api', { poolSize: config.DATABASE_POOL, queryTimeoutMs: API_QUERY_TIMEOUT_MS });
  const lanesDb = open('lockstep-lanes', LANES_POOL);
  const api = await startApi({
    db,
    lanesDb,
    databaseUrl: config.DATABASE_URL,
    queue: queueBackendOf(config, config.DATABASE_URL),
    log,
    metrics: createMetrics(() => readBacklog(db)),
    region: config.REGION,
    publicUrl: config.publicUrl,
    host: config.HOST,
    port: config.PORT,
  });
  log.info({ baseUrl: api.baseUrl }, 'api listens');
  void api.untilReady().then(() => log.info({ baseUrl: api.baseUrl }, 'api ready'));
  return {
    close: () =>
      closeAll(
        api.close,
        () => lanesDb.destroy(),
        () => db.destroy(),
      ),
  };
});
