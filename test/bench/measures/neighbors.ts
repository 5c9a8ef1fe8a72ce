import { setTimeout as delay } from 'node:timers/promises';
import { createApplication } from '@lockstep/access';
import { buildPath } from '@lockstep/contract';
import { type Database, openDatabase } from '@lockstep/platform';
import { type Api, Api as Caller, dataOf } from '../../harness/api.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { type Deployment, withDeployment } from '../deployment.ts';
import { startProbe } from '../load/start-probe.ts';
import { type Bench, type Figures, type Measure, quantile, scaled } from './measure.ts';

const PRODUCTS_OF_ASSET = 1_900;
/** One order can buy, preview or revoke this many assets with that many products. */
const ASSETS_OF_ORDER = 5;
const READS_AT_ONCE = 20;
const ALONE_MS = 2_000;
/** The service caches its metrics for this long. */
const METRICS_SHARED_MS = 1_000;
/** Timeout of a client. */
const GIVE_UP_MS = 120_000;

/** The application that makes large calls, and the numbers of its large assets. */
interface LargeAssets {
  center: MemberCenter;
  assetNums: string[];
  products: ReturnType<typeof productToBuy>[];
}

/** A kind of large call by one application, which reads the whole answer. */
interface LargeCall {
  name: string;
  /** Orders to buy before the measurement, each of ASSETS_OF_ORDER large assets. */
  orders: number;
  /** Whether the call changes nothing. If so, it is made once before the measurement, to warm up the API. */
  isRead: boolean;
  call: (assets: LargeAssets) => Promise<unknown>[];
}

const CALLS: LargeCall[] = [
  {
    name: 'assets',
    orders: 1,
    isRead: true,
    call: ({ center, assetNums }) =>
      repeat(() => readAll(center.api, buildPath('getAsset', { assetNum: assetNums[0]! }))),
  },
  {
    name: 'm7',
    orders: 1,
    isRead: true,
    call: ({ center, assetNums }) =>
      repeat(async () => {
        const [asset] = (await center.assets()).filter(({ assetNum }) => assetNum === assetNums[0]);
        const headers = { clientToken: center.api.token, userToken: center.userToken };
        await readAll(center.api, buildPath('readAssetContents', { assetId: asset!.assetId }), headers);
      }),
  },
  {
    name: 'preview-buy',
    orders: 0,
    isRead: true,
    call: ({ center, products }) => {
      const assetNums = Array.from({ length: ASSETS_OF_ORDER }, newAssetNum);
      return [center.api.submitPreview(batchOf(newBuy(center.customer, assetNums, {}, { products }))).then(dataOf)];
    },
  },
  {
    name: 'preview-revoke',
    orders: 1,
    isRead: true,
    call: ({ center, assetNums }) => [
      center.api.submitPreview(batchOf(deleteAsset(center.customer, assetNums))).then(dataOf),
    ],
  },
  {
    name: 'delete',
    orders: 1,
    isRead: false,
    call: ({ center, assetNums }) => [
      center.api.submit({ ...batchOf(deleteAsset(center.customer, assetNums)), syncMode: 'sync' }).then(dataOf),
    ],
  },
];

/**
 * Latency of one application's lists while another makes large calls: twenty concurrent reads of an asset with 9,500
 * products, or of its contents in the member center; a preview of an order that buys or revokes 190,000 products; or a
 * sync call that revokes them. Also the API's longest event loop stall.
 */
export const neighborMeasures: Measure[] = CALLS.map((largeCall) => ({
  name: `neighbor-${largeCall.name}`,
  of: 'service',
  run: (bench, edition) =>
    withDeployment(bench, edition, { workers: 0, queue: 'postgres' }, (deployment) =>
      withDatabase(deployment, (db) => measure(bench, deployment, db, largeCall)),
    ),
}));

async function measure(bench: Bench, deployment: Deployment, db: Database, largeCall: LargeCall): Promise<Figures> {
  const newApi = async () => {
    const scopes = ['auth_order', 'auth_me'] as const;
    const credentials = await createApplication(db, { name: 'Bench', scopes: [...scopes], approved: true });
    return Caller.logIn(deployment.baseUrl, credentials);
  };
  const center = await MemberCenter.open({ db, newApi });
  const neighbor = await newApi();
  const customer = await neighbor.newCustomer();
  await neighbor.carryOut(...Array.from({ length: 50 }, () => newBuy(customer, [newAssetNum()])));
  const products = Array.from({ length: scaled(bench, PRODUCTS_OF_ASSET) }, () => productToBuy());
  const assetNums: string[] = [];
  for (let order = 0; order < largeCall.orders; order++) {
    const bought = Array.from({ length: ASSETS_OF_ORDER }, newAssetNum);
    await center.api.carryOut(newBuy(center.customer, bought, {}, { products }));
    assetNums.push(...bought);
  }
  const endAlone = await startProbe(neighbor, 'lists');
  await delay(scaled(bench, ALONE_MS, 200));
  const alone = await endAlone();
  if (largeCall.isRead) await Promise.allSettled(largeCall.call({ center, assetNums, products }));
  await readLongestStall(deployment);
  const endProbe = await startProbe(neighbor, 'lists');
  const startedMs = performance.now();
  const ended = await Promise.allSettled(largeCall.call({ center, assetNums, products }));
  const seconds = (performance.now() - startedMs) / 1_000;
  const { times, refused } = await endProbe();
  return {
    'alone p50 ms': quantile(alone.times, 0.5),
    'alone p99 ms': quantile(alone.times, 0.99),
    'p50 ms': quantile(times, 0.5),
    'p99 ms': quantile(times, 0.99),
    'longest ms': quantile(times, 1),
    calls: times.length,
    refused,
    'longest stall ms': await readLongestStall(deployment),
    'large calls answered': ended.filter(({ status }) => status === 'fulfilled').length,
    seconds,
  };
}

async function withDatabase<Result>(
  { databaseUrl }: Deployment,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'bench', onError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

const repeat = (call: () => Promise<void>) => Array.from({ length: READS_AT_ONCE }, call);

/** Reads a successful answer and discards it: parsing would take this process as long as the API takes to write it. */
async function readAll({ baseUrl, token }: Api, path: string, more: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${baseUrl}${path}?g_nonce=${crypto.randomUUID()}`, {
    headers: { authorization: `Bearer ${token}`, ...more },
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  for await (const _ of response.body!);
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
}

/** Returns the API's longest event loop stall since the last call, in milliseconds. */
async function readLongestStall({ baseUrl }: Deployment): Promise<number> {
  await delay(METRICS_SHARED_MS);
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(metrics) ?? [];
  return Number(seconds) * 1_000;
}
