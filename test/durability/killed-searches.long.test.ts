import type { EndingLicenses } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { readFeed } from '../harness/orders/events.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { testStack } from '../harness/stack.ts';

/** The search for ending licenses while workers are killed, one with a clock that is an hour ahead (rules 6.8). */

const DAY_MS = 86_400_000;
const CUSTOMERS = 30;
const ASSETS_OF_EACH = 80;
const PATIENTLY = { timeout: 60_000, interval: 20 };
const AN_HOUR_AHEAD = '--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+3600000;';

async function readAll(api: Api) {
  const events = (await readFeed(api)).filter(({ type }) => type === 'licenses.expiring');
  return events.map(({ data }) => data as EndingLicenses);
}

it('tells each customer and day once, with all that ends', async () => {
  const { stack, api } = await testStack({ worker: false });
  const listeners = await Promise.all([1, 2].map(() => stack.newApi(['auth_order'], ['test'])));
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => api.newCustomer()));
  const { rows } = await sql<{ ms: number }>`
    select floor(extract(epoch from now() - interval '5 minutes') / 86400)::float8 * ${DAY_MS} as ms`.execute(stack.db);
  const end = rows[0]!.ms + 7 * DAY_MS + DAY_MS / 2;
  const buy = (customer: (typeof customers)[number], sequence: number) => {
    const products = [productToBuy({ limitEndDate: end })];
    const assetNums = Array.from({ length: ASSETS_OF_EACH }, newAssetNum);
    return { ...newBuy(customer, assetNums, {}, { limitEndDate: end, products }), sequence };
  };
  await api.accept({ ...batchOf(...customers.map(buy)), syncMode: 'sync' });

  const env = { DATABASE_URL: stack.url, REDIS_URL: '' };
  const workers = [ServiceProcess.worker(env), ServiceProcess.worker({ ...env, NODE_OPTIONS: AN_HOUR_AHEAD })];
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  await Promise.all(workers.map((worker) => worker.start()));
  const place = async () => {
    const found = await sql<{ place: string; isOver: boolean }>`
      select concat(day, part, after_id, (select count(*) from found_expiry)) as place,
        day > ${Math.floor(end / DAY_MS)} as "isOver" from expiry_search where lead_days = 7`.execute(stack.db);
    return found.rows[0] ?? { place: '', isOver: false };
  };
  let kills = 0;
  for (let last = await place(); !last.isOver; ) {
    const { place: before } = last;
    last = await vi.waitUntil(async () => {
      const now = await place();
      return now.place !== before && now;
    }, PATIENTLY);
    const victim = workers[kills++ % 2]!;
    await victim.kill();
    await victim.start();
  }
  expect(kills).toBeGreaterThan(4);
  await vi.waitUntil(async () => (await readAll(listeners[0]!)).length >= CUSTOMERS, PATIENTLY);
  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
  const counts = { assets: ASSETS_OF_EACH, products: ASSETS_OF_EACH };
  const expected = customers.map(({ customerId }) => ({ customerId, counts, named: ASSETS_OF_EACH }));
  const byId = (a: { customerId: string }, b: { customerId: string }) => Number(a.customerId) - Number(b.customerId);
  for (const listener of listeners) {
    const told = (await readAll(listener)).map((each) => {
      const named = new Set(each.assets.map(({ assetId }) => assetId)).size;
      return { customerId: each.customerId, counts: each.counts, named };
    });
    expect(told.toSorted(byId)).toEqual(expected.toSorted(byId));
  }
});
