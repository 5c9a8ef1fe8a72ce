import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BatchResult, OrderResult } from '@lockstep/contract';
import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { type ClientOptions, OrderClient } from './client.ts';
import { say } from './say.ts';

const PAGE_ORDERS = '1000';
/** How long one look at the progress waits for the end. */
const LOOK_SECONDS = '1';

/** `lockstep submit FILE`: sends the batch in the file and watches it until the results stand in a table. */
export async function submit(file: string, options: ClientOptions): Promise<void> {
  // npm changes the directory; INIT_CWD is where the command was typed.
  const body = await readFile(resolve(process.env.INIT_CWD ?? '.', file), 'utf8');
  const client = new OrderClient(options);
  await client.logIn();
  const accepted = await client.submit(body);
  const { channelCode, channelOrderId } = JSON.parse(body) as { channelCode: string; channelOrderId: string };
  say(
    `Batch ${channelOrderId} of channel ${channelCode}: ${accepted.length} ${accepted.length === 1 ? 'order' : 'orders'} accepted`,
  );
  const key = { channelCode, channelOrderId };
  const result = await watch(client, key);
  const orders = await allOrders(client, key);
  say(tableOf(orders));
  for (const order of orders) if (order.message !== null) say(`${order.sequence}: ${order.message}`);
  say(`${result.succeeded} succeeded, ${result.failed} failed`);
}

/** Follows a batch with a progress bar until it is completed. */
async function watch(client: OrderClient, key: Record<string, string>): Promise<BatchResult> {
  const bar = new SingleBar({ format: '{bar} {value}/{total} orders', hideCursor: true, stream: process.stderr });
  try {
    for (let result: BatchResult, started = false; ; started = true) {
      result = await client.batchResult({ ...key, limit: '1', waitSeconds: started ? LOOK_SECONDS : '0' });
      const finished = result.succeeded + result.failed;
      if (started) bar.update(finished);
      else bar.start(result.total, finished);
      if (result.state === 'completed') return result;
    }
  } finally {
    bar.stop();
  }
}

async function allOrders(client: OrderClient, key: Record<string, string>): Promise<OrderResult[]> {
  const orders: OrderResult[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: BatchResult = await client.batchResult({ ...key, limit: PAGE_ORDERS, cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  }
  return orders;
}

function tableOf(orders: OrderResult[]): string {
  const table = new Table({
    head: ['sequence', 'licenseOrderId', 'customer', 'order', 'outcome', 'assets', 'products'],
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    colAligns: ['right', 'right', 'right', 'left', 'left', 'right', 'right'],
  });
  for (const order of orders) {
    table.push([
      order.sequence,
      order.licenseOrderId,
      order.customerId,
      order.orderType,
      order.cause ?? order.state,
      order.assets,
      order.products,
    ]);
  }
  return table.toString();
}
