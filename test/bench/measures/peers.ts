import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { newBuy } from '../../harness/orders/orders.ts';
import { prepareLoad, runLoad } from '../load/load.ts';
import { withBareDeployment } from '../peers/bare-deployment.ts';
import type { PeerJob } from '../peers/peer.ts';
import { peers } from '../peers/peers.ts';
import type { Edition } from '../report/edition.ts';
import { type Bench, type Figures, type Measure, scaled } from './measure.ts';

const ORDERS = 6_000;
/** Sent first, so that new processes compile their code and open their connections. */
const WARM_UP_ORDERS = 800;
const ORDERS_PER_ADD = 100;
const ADDERS = 8;
const LOOK_EVERY_MS = 50;

/**
 * Peers that apply the same orders, with one job and one transaction for each. This process adds the jobs directly or
 * over HTTP.
 */
export const peerMeasures: Measure[] = Object.keys(peers).flatMap((peer) => [
  { name: `peer-${peer}`, of: 'yardstick' as const, run: (bench, edition) => measureBare(bench, edition, peer) },
  ...(
    [
      [100, 8],
      [1, 64],
    ] as const
  ).map(([size, callers]) => ({
    name: `peer-${peer}-http-${size}x${callers}`,
    of: 'yardstick' as const,
    run: (bench: Bench, edition: Edition) => measureOverHttp(bench, edition, peer, size, callers),
  })),
]);

/** Measures orders a second from the first added job until the last order is in the tables. */
function measureBare(bench: Bench, edition: Edition, peer: string): Promise<Figures> {
  return withBareDeployment(bench, edition, peer, async ({ db, databaseUrl }) => {
    const producer = await peers[peer]!.openProducer({ databaseUrl, redisUrl: bench.machine.redisUrl });
    const warmUp = scaled(bench, WARM_UP_ORDERS);
    const count = scaled(bench, ORDERS / ORDERS_PER_ADD, ADDERS) * ORDERS_PER_ADD;
    const jobs: PeerJob[] = Array.from({ length: warmUp + count }, (_, index) => {
      const order = newBuy(edition.customers[index % edition.customers.length]!, [`peer-${index}`]);
      return { id: index + 1, order: order as unknown as PeerJob['order'] };
    });
    try {
      await producer.add(jobs.splice(0, warmUp));
      await untilInserted(db, warmUp);
      const startedMs = performance.now();
      await Promise.all(
        Array.from({ length: ADDERS }, async () => {
          while (jobs.length > 0) await producer.add(jobs.splice(0, ORDERS_PER_ADD));
        }),
      );
      await untilInserted(db, warmUp + count);
      return { 'orders/s': count / ((performance.now() - startedMs) / 1_000) };
    } finally {
      await producer.close();
    }
  });
}

/** Measures orders a second from the first call until the last order is in the tables. */
function measureOverHttp(
  bench: Bench,
  edition: Edition,
  peer: string,
  size: number,
  callers: number,
): Promise<Figures> {
  return withBareDeployment(bench, edition, peer, async ({ db, batches }) => {
    const work = (calls: number) => batches('/orders', calls, size, edition, { kind: 'callers', callers });
    const warmUp = scaled(bench, WARM_UP_ORDERS / size, callers);
    await runLoad(work(warmUp));
    await untilInserted(db, warmUp * size);
    const count = scaled(bench, ORDERS / size, callers);
    const load = await prepareLoad(work(count));
    const startedMs = performance.now();
    await load.run();
    await untilInserted(db, (warmUp + count) * size);
    return { 'orders/s': (count * size) / ((performance.now() - startedMs) / 1_000) };
  });
}

async function untilInserted(db: pg.Pool, orders: number): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ done: boolean }>('select count(*) >= $1 as done from bare.product_instance', [
      orders,
    ]);
    if (rows[0]!.done) return;
    await delay(LOOK_EVERY_MS);
  }
}
