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
import { API_QUERY_TIMEOUT_MS, SYNC_CONNECTIONS, SYNC_QUERY_TIMEOUT_MS, startApi } from './api.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL ?? 'info' });

await runUntilSignal(log, async () => {
  const open = (applicationName: string, poolSize: number, queryTimeoutMs: number) => {
    const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
    return openDatabase({ url: config.DATABASE_URL, poolSize, applicationName, queryTimeoutMs, onError });
  };
  const db = open('lockstep-api', config.DATABASE_POOL, API_QUERY_TIMEOUT_MS);
  const syncDb = open('lockstep-sync', SYNC_CONNECTIONS, SYNC_QUERY_TIMEOUT_MS);
  const api = await startApi({
    db,
    syncDb,
    databaseUrl: config.DATABASE_URL,
    queue: queueBackendOf(config, config.DATABASE_URL),
    log,
    metrics: createMetrics(() => readBacklog(db)),
    region: config.REGION,
    host: config.HOST,
    port: config.PORT,
  });
  log.info({ baseUrl: api.baseUrl }, 'api ready');
  return {
    close: () =>
      closeAll(
        api.close,
        () => syncDb.destroy(),
        () => db.destroy(),
      ),
  };
});
