import type { Customer } from '@lockstep/contract';
import { newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { type Deployment, withDeployment } from '../deployment.ts';
import { createBoundSender, createO2Sender, type Sender } from '../load/senders.ts';
import { acceptWhileSuspended } from '../load/suspended-workers.ts';
import { startMeter } from '../report/costs.ts';
import { type Bench, type Figures, type Measure, scaled } from './measure.ts';
import { async, measureOrders, warmUp } from './orders.ts';

const BACKLOG = 100_000;
const CUSTOMERS = 500;
const CHANNELS = 10_000;

/** What a channel's backlog means for its own sync calls, and what orders cost that are spread over many channels. */
export const channelMeasures: Measure[] = [
  {
    name: 'sync-own-backlog',
    of: 'service',
    run: (bench, edition) =>
      withDeployment(bench, edition, { workers: 2 }, async (deployment) =>
        measureOwn(bench, deployment, await createBoundSender(deployment, 'bench', scaled(bench, CUSTOMERS, 20))),
      ),
  },
  {
    name: 'channels-10000',
    of: 'service',
    run: (bench, edition) =>
      withDeployment(bench, edition, {}, async (deployment) =>
        measureMany(bench, deployment, await createChannels(deployment, scaled(bench, CHANNELS, 1_000))),
      ),
  },
  {
    name: 'channels-1x64',
    of: 'service',
    run: (bench, edition) =>
      withDeployment(bench, edition, {}, async (deployment) =>
        measureOrders(bench, deployment, async(1, 64), await createChannels(deployment, 64)),
      ),
  },
];

/** Sends a sync call when workers begin to drain their channel's backlog. */
async function measureOwn(bench: Bench, deployment: Deployment, sender: Sender): Promise<Figures> {
  await warmUp(bench, deployment, 'sync', 10);
  const { drain } = await acceptWhileSuspended(bench, deployment, BACKLOG, sender);
  const startedMs = performance.now();
  const draining = drain();
  const batch = { ...syncOf(newBuy(sender.customers[0]!, [newAssetNum()])), channelCode: 'bench' };
  const { body } = await sender.caller.submit(batch);
  const answeredMs = performance.now();
  const { startedMs: from, drainedMs } = await draining;
  return {
    'answered s': (answeredMs - startedMs) / 1_000,
    refused: body.code === 0 ? 0 : 1,
    'drained s': (drainedMs - from) / 1_000,
  };
}

/** One worker drains a backlog of one order in each channel, in batches of 100. */
async function measureMany(bench: Bench, deployment: Deployment, sender: Sender): Promise<Figures> {
  await warmUp(bench, deployment, 'async', 100);
  const { orders, drain } = await acceptWhileSuspended(bench, deployment, sender.customers.length, sender);
  const readCosts = await startMeter(bench.machine, { API: [deployment.api], worker: deployment.workers });
  const { startedMs, drainedMs } = await drain();
  return { 'drained/s': (orders * 1_000) / (drainedMs - startedMs), ...(await readCosts(orders, 0)) };
}

/** Creates channels with a customer each, like the customers of an application that no channel binds. */
async function createChannels(deployment: Deployment, count: number): Promise<Sender> {
  const { caller, customers } = await createO2Sender(deployment, 2);
  const [like] = customers as [Customer];
  await deployment.db.query(`insert into channel (code) select 'c' || n from generate_series(1, ${count}) as n`);
  const { rows } = await deployment.db.query<{ id: string }>(`
    insert into customer (enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
    select ${like.enterpriseGlobalId}, 'c' || n, 'c' || n, 'Customer', 'Branch', false
    from generate_series(1, ${count}) as n returning id`);
  return { caller, customers: rows.map(({ id }) => ({ ...like, customerId: id as Customer['customerId'] })) };
}
