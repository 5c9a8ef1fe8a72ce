import type { BatchResult, OrderResult } from '@lockstep/contract';
import { MAX_PAGE_ORDERS } from '@lockstep/contract/words';
import { readEntries } from '../output/lists.ts';
import { formatFailures, formatJson, formatOrders, MAX_TABLE_ORDERS } from '../output/outcomes.ts';
import type { Progress } from '../output/progress.ts';
import { STATUS } from '../output/status.ts';
import { say } from '../output/terminal.ts';
import { CallRefused, type OrderClient, type SentQuery } from './client.ts';

/** Identifies a batch of an application. */
export type BatchKey = { channelCode: string; channelOrderId: string };

/** How to show an outcome. */
export interface OutcomeOptions {
  /** Print JSON only: the data of the result operation, with all orders. */
  json?: true;
  /** Exit with the status of a refusal if an order failed. */
  failOnFailed?: true;
}

/** How long each call for the progress waits for the batch to be completed. */
const LOOK_SECONDS = '1';

/** Reads the totals of a batch, with at most one of its orders. The error for an unknown batch says why it may be. */
export async function readResult(client: OrderClient, key: BatchKey): Promise<BatchResult> {
  try {
    return await client.call('getBatchResult', { query: { ...key, limit: '1' } });
  } catch (error) {
    if (!(error instanceof CallRefused) || error.reason !== 'batch_not_found') throw error;
    throw new Error(`${error.message} A refused sync batch is not stored: fix it and send it again.`, {
      cause: error,
    });
  }
}

/** Shows the progress of a batch until it is completed. Returns its totals. */
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

/** Reads all orders of a batch, or those in one state, as they were sent. */
export async function readOrders(client: OrderClient, query: SentQuery<'getBatchResult'>): Promise<OrderResult[]> {
  const readPage = async (page: { limit: string; cursor: string | undefined }) => {
    const { orders, nextCursor } = await client.call('getBatchResult', { query: { ...query, ...page } });
    return { items: orders, nextCursor };
  };
  return await Array.fromAsync(readEntries(readPage, Number.POSITIVE_INFINITY, MAX_PAGE_ORDERS));
}

/** Shows the outcome of a batch; of a large batch only the failed orders. `result` has its totals. */
export async function showOutcome(client: OrderClient, result: BatchResult, options: OutcomeOptions): Promise<void> {
  const { channelCode, channelOrderId, total, failed } = result;
  const key = { channelCode, channelOrderId };
  if (options.json) say(formatJson(result, await readOrders(client, key)));
  else if (total <= MAX_TABLE_ORDERS) say(formatOrders(result, await readOrders(client, key)));
  else say(formatFailures(result, failed === 0 ? [] : await readOrders(client, { ...key, state: 'failed' })));
  setStatus(failed, options);
}

/** Sets the exit status of a refusal if orders failed and --fail-on-failed is set. */
export function setStatus(failed: number, { failOnFailed }: OutcomeOptions): void {
  if (failOnFailed && failed > 0) process.exitCode = STATUS.refused;
}
