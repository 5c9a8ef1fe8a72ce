import { chooseQueueBackend, configOrExit, readDeploymentConfig, SECRET_KEYS } from '@lockstep/config';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger, runUntilSignal, startTracing } from '@lockstep/platform';
import { startApi } from './api.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL ?? 'info', secrets: SECRET_KEYS });

await runUntilSignal(log, async (startPart) => {
  await startPart('traces', () => startTracing(config, 'lockstep-api', log));
  const api = await startPart('api', () =>
    startApi({
      ...config,
      queue: chooseQueueBackend(config, config.DATABASE_URL),
      log,
      metrics: createOrderMetrics(),
    }),
  );
  log.info({ baseUrl: api.baseUrl }, 'api listening');
  void api.untilReady().then(() => log.info({ baseUrl: api.baseUrl }, 'api ready'));
});
