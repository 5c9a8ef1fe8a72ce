import { freePort } from '../../harness/network/redis.ts';
import { BenchProcess } from '../bench-process.ts';
import { withDeployment } from '../deployment.ts';
import type { Measure } from './measure.ts';
import { async, measureOrders } from './orders.ts';

/** In each direction. */
const DELAY_MS = 0.5;

/** PostgreSQL with a round trip of 1 ms, as in another building. Compare with the same measures without `-far`. */
export const distanceMeasures: Measure[] = [async(100, 8), async(1, 64)].map((sending) => ({
  name: `${sending.mode}-${sending.ordersPerBatch}x${sending.callers}-far`,
  of: 'service',
  async run(bench, edition) {
    const databaseUrl = await bench.machine.createDatabase(edition.template);
    const port = await freePort();
    const proxy = await BenchProcess.startOwn('load/delay-proxy.ts', bench.machine.directory, {
      PROXY_PORT: String(port),
      TARGET_PORT: new URL(databaseUrl).port,
      DELAY_MS: String(DELAY_MS),
    });
    const reachedAt = (url: string) => {
      const far = new URL(url);
      far.port = String(port);
      return far.href;
    };
    try {
      return await withDeployment(bench, edition, { databaseUrl, reachedAt }, (deployment) =>
        measureOrders(bench, deployment, sending),
      );
    } finally {
      await proxy.stop();
      await bench.machine.dropDatabase(databaseUrl);
    }
  },
}));
