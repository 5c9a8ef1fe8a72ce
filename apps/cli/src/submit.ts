import { type BatchResult, MAX_PAGE_ORDERS, type OrderResult } from '@lockstep/contract';
import { readBatchFile } from './batch-file.ts';
import { type ClientOptions, OrderClient } from './client.ts';
import { formatFailures, formatJson, formatOrders, MAX_TABLE_ORDERS } from './outcomes.ts';
import { Progress } from './progress.ts';
import { say } from './say.ts';
import { endOnSignals } from './signals.ts';

/** How long one call for the progress waits for the end of the batch. */
const LOOK_SECONDS = '1';

type BatchKey = { channelCode: string; channelOrderId: string };

/**
 * `lockstep submit FILE`: sends the batch in the file, watches it until every order has its outcome, and shows that.
 * @param options.json only JSON on standard output: the data of the result operation, with all orders
 * @throws Error of one line or two when the batch is refused, or its outcome cannot be read
 */
export async function submit(file: string, service: ClientOptions, options: { json: boolean }): Promise<void> {
  const progress = new Progress();
  let whereabouts = 'Nothing was sent.';
  endOnSignals(() => {
    progress.stop();
    return `Stopped. ${whereabouts}`;
  });
  const { bytes, ...key } = await readBatchFile(file);
  const client = new OrderClient(service);
  await client.logIn();
  whereabouts = `${describeBatch(key)} was sent and may have been accepted. The same command shows; nothing is done twice.`;
  const { length } = await client.submit(bytes);
  whereabouts = `${describeBatch(key)} is accepted and goes on. The same command shows how; nothing is done twice. Or ask ${client.batchResultUrl(key)}`;
  const tell = options.json ? sayAside : say;
  tell(`${describeBatch(key)}: ${length} ${length === 1 ? 'order' : 'orders'} accepted`);
  try {
    const result = await watch(client, key, progress);
    const isShort = result.total <= MAX_TABLE_ORDERS;
    if (options.json) say(formatJson(result, await readOrders(client, key)));
    else if (isShort) say(formatOrders(result, await readOrders(client, key)));
    else say(formatFailures(result, result.failed === 0 ? [] : await readOrders(client, { ...key, state: 'failed' })));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${whereabouts}`, { cause: error });
  }
}

function describeBatch({ channelCode, channelOrderId }: BatchKey): string {
  return `Batch ${channelOrderId} of channel ${channelCode}`;
}

function sayAside(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Follows a batch with a progress bar until it is completed. */
async function watch(client: OrderClient, key: BatchKey, progress: Progress): Promise<BatchResult> {
  try {
    for (let waitSeconds = '0'; ; waitSeconds = LOOK_SECONDS) {
      const result = await client.batchResult({ ...key, limit: '1', waitSeconds });
      progress.show(result.succeeded + result.failed, result.total);
      if (result.state === 'completed') return result;
    }
  } finally {
    progress.stop();
  }
}

/** Reads the orders of a batch, in the order sent: all of them, or those in one state. */
async function readOrders(client: OrderClient, query: BatchKey & { state?: 'failed' }): Promise<OrderResult[]> {
  const orders: OrderResult[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: BatchResult = await client.batchResult({ ...query, limit: String(MAX_PAGE_ORDERS), cursor });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  }
  return orders;
}
