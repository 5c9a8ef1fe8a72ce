import { chooseQueueBackend, configOrExit, readDeploymentConfig, SECRET_KEYS } from '@lockstep/config';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger, runUntilSignal, startTracing } from '@lockstep/platform';
import { startWorker } from './worker.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'worker', level: config.LOG_LEVEL ?? 'info', secrets: SECRET_KEYS });

await runUntilSignal(log, async (startPart) => {
  await startPart('traces', () => startTracing(config, 'lockstep-worker', log));
  const queue = chooseQueueBackend(config, config.DATABASE_URL);
  const worker = await startPart('worker', () => startWorker({ ...config, queue, log, metrics: createOrderMetrics() }));
  log.info({ queue: queue.kind, drains: config.WORKER_DRAINS }, 'worker started');
  void worker.untilReady().then(() => log.info('worker ready'));
});
