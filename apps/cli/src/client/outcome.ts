import type { BatchResult, OrderResult } from '@lockstep/contract';
import { MAX_PAGE_ORDERS } from '@lockstep/contract/words';
import { formatFailures, formatJson, formatOrders, MAX_TABLE_ORDERS } from '../output/outcomes.ts';
import type { Progress } from '../output/progress.ts';
import { STATUS } from '../output/status.ts';
import { say } from '../output/terminal.ts';
import { CallRefused, type OrderClient, type SentQuery } from './client.ts';

/** How clients know a batch. */
export type BatchKey = { channelCode: string; channelOrderId: string };

/** How an outcome is shown. */
export interface OutcomeOptions {
  /** Only JSON on standard output: the data of the result operation, with all orders. */
  json?: true;
  /** Whether the command ends as refused when an order has failed. */
  failOnFailed?: true;
}

/** How long one call for the progress waits for the end of the batch. */
const LOOK_SECONDS = '1';

/**
 * Reads the totals of a batch, with at most one of its orders.
 * @throws Error of one line; of an unknown batch it says what that may mean
 */
export async function readResult(client: OrderClient, key: BatchKey): Promise<BatchResult> {
  try {
    return await client.call('getBatchResult', { query: { ...key, limit: '1' } });
  } catch (error) {
    if (!(error instanceof CallRefused) || error.reason !== 'batch_not_found') throw error;
    throw new Error(`${error.message} A sync batch that failed was never stored: send it again.`, { cause: error });
  }
}

/** Follows a batch with a progress bar until it is completed. */
export async function watchBatch(client: OrderClient, key: BatchKey, progress: Progress): Promise<BatchResult> {
  try {
    for (let waitSeconds = '0'; ; waitSeconds = LOOK_SECONDS) {
      const result = await client.call('getBatchResult', { query: { ...key, limit: '1', waitSeconds } });
      progress.show(result);
      if (result.state === 'completed') return result;
    }
  } finally {
    progress.stop();
  }
}

/** Reads the orders of a batch, in the order sent: all of them, or those in one state. */
export async function readOrders(client: OrderClient, query: SentQuery<'getBatchResult'>): Promise<OrderResult[]> {
  const orders: OrderResult[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: BatchResult = await client.call('getBatchResult', {
      query: { ...query, limit: String(MAX_PAGE_ORDERS), cursor },
    });
    orders.push(...page.orders);
    cursor = page.nextCursor;
  }
  return orders;
}

/** Shows what became of a batch, of a large one only what failed. `result` has its totals. */
export async function showOutcome(client: OrderClient, result: BatchResult, options: OutcomeOptions): Promise<void> {
  const { channelCode, channelOrderId, total, failed } = result;
  const key = { channelCode, channelOrderId };
  if (options.json) say(formatJson(result, await readOrders(client, key)));
  else if (total <= MAX_TABLE_ORDERS) say(formatOrders(result, await readOrders(client, key)));
  else say(formatFailures(result, failed === 0 ? [] : await readOrders(client, { ...key, state: 'failed' })));
  setStatus(failed, options);
}

/** Has the command end as refused if that is asked for and so many orders are more than none. */
export function setStatus(failed: number, { failOnFailed }: OutcomeOptions): void {
  if (failOnFailed && failed > 0) process.exitCode = STATUS.refused;
}
