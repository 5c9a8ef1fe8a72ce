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
import { startProbe } from './probe.ts';
import { startWorker, WORKER_LOCK_TIMEOUT_MS, WORKER_SPARE_CONNECTIONS } from './worker.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'worker', level: config.LOG_LEVEL ?? 'info' });

await runUntilSignal(log, async () => {
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolSize: Math.max(config.DATABASE_POOL, config.WORKER_DRAINS + WORKER_SPARE_CONNECTIONS),
    applicationName: 'lockstep-worker',
    lockTimeoutMs: WORKER_LOCK_TIMEOUT_MS,
    onError: (error) => log.warn({ err: error }, 'database connection failed'),
  });
  const metrics = createMetrics(() => readBacklog(db));
  const queue = queueBackendOf(config, config.DATABASE_URL);
  const worker = await startWorker({ db, queue, log, metrics, drains: config.WORKER_DRAINS });
  const probe =
    config.WORKER_PORT === undefined
      ? null
      : await startProbe(worker.readiness, metrics, config.HOST, config.WORKER_PORT);
  log.info({ queue: queue.kind, drains: config.WORKER_DRAINS }, 'worker started');
  void worker.untilReady().then(() => log.info('worker ready'));
  return {
    close: () =>
      closeAll(
        worker.close,
        async () => probe?.close(),
        () => db.destroy(),
      ),
  };
});
