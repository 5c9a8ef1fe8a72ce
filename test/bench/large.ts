import { parseArgs } from 'node:util';
import { createApplication } from '@lockstep/access';
import { MAX_BATCH_BYTES } from '@lockstep/contract';
import { Api, dataOf } from '../harness/api.ts';
import { newBuy, productToBuy } from '../harness/orders/orders.ts';
import { say } from './bench-run.ts';
import { withService } from './bench-service.ts';
import { type Probed, startProbe } from './load/start-probe.ts';
import { quantile } from './measures/measure.ts';
import { readPeakMebibytes } from './report/processor-time.ts';

/**
 * `npm run bench:large`: measures how the largest batches slow down other calls. Two applications send all batches at
 * once. Prints quantiles of the latency of small calls before and during that, and the peak memory of the API. Compare
 * within one run.
 */
const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '32' },
    mode: { type: 'string', default: 'async' },
    /** Instances in a batch. 0: as many orders as fit into the largest body. */
    instances: { type: 'string', default: '0' },
    worker: { type: 'boolean', default: false },
  },
});
const CUSTOMERS = 50;

await withService({ hasWorker: values.worker }, async ({ api, baseUrl, db }) => {
  const callers = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const credentials = await createApplication(db, { name: `${number}`, scopes: ['auth_order'], approved: true });
      return Api.logIn(baseUrl, credentials);
    }),
  );
  const [one, two, small] = callers as [Api, Api, Api];
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => one.newCustomer('Bench')));
  const bodies = Array.from({ length: Number(values.batches) }, (_, batch) => largestBatch(batch));
  const endAlone = await startProbe(small, 'small calls');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  say(`alone: ${formatQuantiles(await endAlone())}`);
  const endProbe = await startProbe(small, 'small calls');
  const startedMs = performance.now();
  let repeats = 0;
  await Promise.all(
    bodies.map(async (body, index) => {
      for (;;) {
        const answer = await (index % 2 === 0 ? one : two).submit(undefined, { rawBody: body });
        if (answer.status === 200) return dataOf(answer);
        if (answer.body.cause !== 'overloaded') throw new Error(JSON.stringify(answer.body).slice(0, 500));
        repeats++;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  say(`beside the batches: ${formatQuantiles(await endProbe())}`);
  const megabytes = bodies.reduce((sum, body) => sum + body.length, 0) / 1e6;
  const sent = `${bodies.length} ${values.mode} batches, ${Math.round(megabytes)} MB`;
  say(`${sent}, in ${seconds.toFixed(1)} s; retries: ${repeats}`);
  say(`peak memory of the API: ${Math.round(readPeakMebibytes(api.pid))} MiB`);

  function largestBatch(batch: number): Uint8Array {
    const instances = Number(values.instances);
    const perAsset = 10;
    let sent = 0;
    const order = () => {
      const products = Array.from({ length: perAsset }, () =>
        productToBuy({ productFeatures: [feature(), feature()] }),
      );
      const numbers = instances === 0 ? 1 : instances / perAsset / CUSTOMERS;
      const assetNos = Array.from({ length: numbers }, () => `large-${batch}-${sent++}`);
      return newBuy(customers[(sent + batch) % CUSTOMERS]!, assetNos, {}, { products });
    };
    const count = instances === 0 ? 2_000 : CUSTOMERS;
    const orderList = Array.from({ length: count }, order);
    const whole = { channelCode: 'bench', channelOrderId: `large-${batch}`, syncMode: values.mode, orderList };
    while (JSON.stringify(whole).length > MAX_BATCH_BYTES)
      whole.orderList.length = Math.floor(whole.orderList.length * 0.97);
    // Encode early, because encoding during the measurement would delay the timed calls.
    return new TextEncoder().encode(JSON.stringify(whole));
  }
});

function feature() {
  const name = { featureCode: 'code', featureName: 'name of a feature', featureValue: 'v', featureValueType: 'text' };
  return { ...name, trial: 0, trialEndDate: 0 };
}

function formatQuantiles({ times }: Probed): string {
  const at = (share: number) => Math.round(quantile(times, share));
  return `${times.length} small calls, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
