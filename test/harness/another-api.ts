import { type ApiOptions, LANES_POOL, startApi } from '@lockstep/api';
import { closeAll, createLogger, createMetrics, openDatabase } from '@lockstep/platform';
import { Api } from './api.ts';
import type { Stack } from './stack.ts';

/** Starts one more API on a stack, with options of its own where they differ; `api` calls it for the same application. */
export async function startAnotherApi(
  stack: Stack,
  { credentials, token }: Api,
  changes: Partial<Pick<ApiOptions, 'queue' | 'region' | 'publicUrl'>> = {},
) {
  const { db, url, queue } = stack;
  const metrics = createMetrics(async () => ({ lanes: [], oldestPendingSeconds: 0 }));
  const log = createLogger({ name: 'test', level: 'silent' });
  const place = { region: 'domestic', publicUrl: null, host: '127.0.0.1', port: 0 } as const;
  const lanesDb = openDatabase({ url, applicationName: 'test-lanes', onError: () => {}, ...LANES_POOL });
  const options = { db, lanesDb, databaseUrl: url, queue, log, metrics, ...place, ...changes };
  const other = await startApi(options);
  const close = () => closeAll(other.close, () => lanesDb.destroy());
  return { api: new Api(other.baseUrl, credentials, token), metrics, close };
}
