import { type ApiOptions, startApi } from '@lockstep/api';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger } from '@lockstep/platform';
import { Api } from '../api.ts';
import type { Stack } from '../stack.ts';

/** Starts another API on a stack, with the options of `changes`; `api` calls it for the same application. */
export async function startAnotherApi(
  { url, queue }: Stack,
  { credentials, token }: Api,
  changes: Partial<Pick<ApiOptions, 'queue' | 'region' | 'publicUrl' | 'prepare' | 'webhookAllowPrivate'>> = {},
) {
  const { close, baseUrl } = await startApi({
    databaseUrl: url,
    poolSize: 8,
    queue,
    log: createLogger({ name: 'test', level: 'silent', secrets: new Set() }),
    metrics: createOrderMetrics(),
    maxPendingOrders: 2_000_000,
    failedOrderDays: 30,
    eventDays: 30,
    region: 'domestic',
    publicUrl: null,
    webhookAllowPrivate: false,
    host: '127.0.0.1',
    port: 0,
    ...changes,
  });
  return { api: new Api(baseUrl, credentials, token), close };
}
