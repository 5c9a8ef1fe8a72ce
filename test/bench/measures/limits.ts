import { Api, dataOf } from '../../harness/api.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { HEAP_OF_512_MIB } from '../../harness/processes/service-process.ts';
import { type Deployment, WorkerDied, withDeployment } from '../deployment.ts';
import type { Edition } from '../report/edition.ts';
import { readPeakMebibytes } from '../report/processor-time.ts';
import { type Bench, type Figures, type Measure, scaled } from './measure.ts';

const PRODUCTS_OF_ASSET = 1_900;
/** One order can buy or revoke this many assets with that many products. */
const ASSETS_OF_ORDER = 5;
/** Orders that each buy that much. One order then tries to revoke everything, far more than the limit. */
const ORDERS_AT_ONCE = 8;

/**
 * Peak resident memory of an API and a worker with the heap that they get in 512 MiB, while orders at the limit buy,
 * revoke or preview 5 assets with 1,900 products each. Also whether an order that tries to revoke 40 of them kills
 * the worker.
 */
export const limitsMemoryMeasure: Measure = {
  name: 'limits-memory',
  of: 'service',
  run: (bench, edition) =>
    withDeployment(bench, edition, { queue: 'postgres', nodeOptions: HEAP_OF_512_MIB }, (deployment) =>
      measure(bench, deployment, edition),
    ),
};

async function measure(bench: Bench, deployment: Deployment, edition: Edition): Promise<Figures> {
  const api = await Api.logIn(deployment.baseUrl, edition.credentials);
  const customer = edition.customers[0]!;
  const products = Array.from({ length: scaled(bench, PRODUCTS_OF_ASSET) }, () => productToBuy());
  const buy = async () => {
    const assetNums = Array.from({ length: ASSETS_OF_ORDER }, newAssetNum);
    await api.carryOut(newBuy(customer, assetNums, {}, { products }));
    return assetNums;
  };
  for (const order of [
    deleteAsset(customer, await buy()),
    deleteProduct(customer, await buy(), { strictMatchWhenDelete: true }),
  ]) {
    await api.accept(batchOf(order));
    await deployment.untilApplied();
  }
  const assetNums = await buy();
  dataOf(await api.submitPreview(batchOf(deleteAsset(customer, assetNums))));
  await api.carryOut(deleteAsset(customer, assetNums));
  const figures = {
    'API MiB': readPeakMebibytes(deployment.api.pid),
    'worker MiB': readPeakMebibytes(deployment.workers[0]!.pid),
  };
  const all: string[] = [];
  for (let order = 0; order < ORDERS_AT_ONCE; order++) all.push(...(await buy()));
  const startedMs = performance.now();
  await api.accept(batchOf(deleteAsset(customer, all)));
  const died = await deployment.untilApplied().then(
    () => 0,
    (error: unknown) => {
      if (error instanceof WorkerDied) return 1;
      throw error;
    },
  );
  return { ...figures, 'worker died': died, 'seconds until applied or dead': (performance.now() - startedMs) / 1_000 };
}
