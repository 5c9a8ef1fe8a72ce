import { type ApiOptions, startApi } from '@lockstep/api';
import { readDeploymentConfig } from '@lockstep/config';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger } from '@lockstep/platform';
import { Api } from '../api.ts';
import type { Stack } from '../stack.ts';

/** Starts another API on a stack, with the options of `changes`; `api` calls it for the same application. */
export async function startAnotherApi(
  { url, queue }: Stack,
  { credentials, token }: Api,
  changes: Partial<
    Pick<
      ApiOptions,
      'queue' | 'REGION' | 'PORT' | 'publicUrl' | 'oidc' | 'PASSWORD_LOGIN' | 'prepare' | 'WEBHOOK_ALLOW_PRIVATE'
    >
  > = {},
) {
  const { close, baseUrl } = await startApi({
    ...readDeploymentConfig({ DATABASE_URL: url, PORT: '0' }),
    DATABASE_POOL: 8,
    queue,
    log: createLogger({ name: 'test', level: 'silent', secrets: new Set() }),
    metrics: createOrderMetrics(),
    ...changes,
  });
  return { api: new Api(baseUrl, credentials, token), close };
}
