import { chooseQueueBackend, configOrExit, readDeploymentConfig, SECRET_KEYS } from '@lockstep/config';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger, runUntilSignal } from '@lockstep/platform';
import { startApi } from './api.ts';

const config = configOrExit(readDeploymentConfig);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL ?? 'info', secrets: SECRET_KEYS });

await runUntilSignal(log, async (startPart) => {
  const api = await startPart('api', () =>
    startApi({
      databaseUrl: config.DATABASE_URL,
      poolSize: config.DATABASE_POOL,
      queue: chooseQueueBackend(config, config.DATABASE_URL),
      log,
      metrics: createOrderMetrics(),
      maxPendingOrders: config.MAX_PENDING_ORDERS,
      failedOrderDays: config.FAILED_ORDER_DAYS,
      eventDays: config.EVENT_DAYS,
      region: config.REGION,
      publicUrl: config.publicUrl,
      webhookAllowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
      host: config.HOST,
      port: config.PORT,
    }),
  );
  log.info({ baseUrl: api.baseUrl }, 'api listening');
  void api.untilReady().then(() => log.info({ baseUrl: api.baseUrl }, 'api ready'));
});
