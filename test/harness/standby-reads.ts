import { createApplication } from '@lockstep/access';
import { startApi } from '@lockstep/api';
import { createOrderMetrics } from '@lockstep/orders';
import { type Closable, closeAll, createLogger, type Database, openDatabase } from '@lockstep/platform';
import { startWorker } from '@lockstep/worker';
import { vi } from 'vitest';
import { Api } from './api.ts';
import type { PostgresServer } from './postgres-cluster.ts';

/** How many reads who has served, as the metrics of the process say. */
export interface Served {
  standby: number;
  primary: number;
  /** Those of the primary, by why it served them. */
  why: Record<string, number>;
}

/** An API and a worker on a primary. The API reads from standbys. */
export interface ReplicatedService extends Closable {
  db: Database;
  api: Api;
  /** The lines that the API has logged. */
  logLines: string[];
  served(): Promise<Served>;
  /** A metric of the only standby, or of that name. */
  gauge(name: string, standby?: PostgresServer): Promise<number | undefined>;
  /** Waits until reads go to the standby, or do not. */
  untilUsable(isUsable: boolean, standby?: PostgresServer): Promise<void>;
}

/** Starts an API that reads from `standbys`, and a worker. Both write to the one of `primaries` that may be written to. */
export async function startReplicatedService(
  primaries: readonly PostgresServer[],
  standbys: readonly PostgresServer[],
): Promise<ReplicatedService> {
  const logLines: string[] = [];
  const log = createLogger({ name: 'test', level: 'info' }, { write: (line) => void logLines.push(line) });
  const metrics = createOrderMetrics();
  const databaseUrl = urlOf(primaries);
  const common = {
    databaseUrl,
    poolSize: 8,
    queue: { kind: 'postgres' as const, url: databaseUrl },
    failedOrderDays: 30,
    eventDays: 30,
    webhookAllowPrivate: false,
  };
  const running = await startApi({
    ...common,
    log,
    metrics,
    replicaUrl: urlOf(standbys),
    region: 'domestic',
    publicUrl: null,
    host: '127.0.0.1',
    port: 0,
  });
  const quiet = createLogger({ name: 'test', level: 'silent' });
  const worker = await startWorker({ ...common, log: quiet, metrics: createOrderMetrics(), drains: 2 });
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'test', onError: () => {} });
  const credentials = await createApplication(db, {
    name: 'Test',
    scopes: ['auth_order', 'auth_me'],
    approved: true,
    channels: null,
  });
  const read = async (name: string) => (await metrics.registry.getSingleMetric(name)!.get()).values;
  const gauge = async (name: string, standby?: PostgresServer) =>
    (await read(name)).find(({ labels }) => standby === undefined || labels.standby === `127.0.0.1:${standby.port}`)
      ?.value;
  return {
    db,
    api: await Api.logIn(running.baseUrl, credentials),
    logLines,
    gauge,
    async served() {
      const served: Served = { standby: 0, primary: 0, why: {} };
      for (const { labels, value } of await read('lockstep_replica_reads_total')) {
        served[labels.served_by as 'standby' | 'primary'] += value;
        if (labels.served_by === 'primary') served.why[String(labels.reason)] = value;
      }
      return served;
    },
    async untilUsable(isUsable, standby) {
      await vi.waitFor(
        async () => {
          if ((await gauge('lockstep_replica_usable', standby)) === Number(isUsable)) return;
          throw new Error(`The standby is ${isUsable ? 'not used' : 'still used'}:\n${logLines.slice(-20).join('')}`);
        },
        { timeout: 30_000, interval: 50 },
      );
    },
    close: () => closeAll(worker.close, running.close, () => db.destroy()),
  };
}

function urlOf(servers: readonly PostgresServer[]): string {
  const url = new URL(servers[0]!.databaseUrl);
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return url.href.replace(url.host, hosts);
}
