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
import { API_QUERY_TIMEOUT_MS, startApi } from './api.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL ?? 'info' });

await runUntilSignal(log, async () => {
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL,
    applicationName: 'lockstep-api',
    queryTimeoutMs: API_QUERY_TIMEOUT_MS,
    onError: (error) => log.warn({ err: error }, 'database connection failed'),
  });
  const api = await startApi({
    db,
    databaseUrl: config.DATABASE_URL,
    queue: queueBackendOf(config, config.DATABASE_URL),
    log,
    metrics: createMetrics(() => readBacklog(db)),
    region: config.REGION,
    host: config.HOST,
    port: config.PORT,
  });
  log.info({ baseUrl: api.baseUrl }, 'api ready');
  return { close: () => closeAll(api.close, () => db.destroy()) };
});
