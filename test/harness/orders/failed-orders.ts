import { randomUUID } from 'node:crypto';
import { FailedOrders } from '@lockstep/contract';
import { z } from 'zod';
import { type Api, dataOf } from '../api.ts';
import type { Sent } from './orders.ts';

/** Identifies a batch. */
export type Batch = { channelCode: string; channelOrderId: string };

const strictAnswer = z.strictObject(FailedOrders.shape);

/** Requests the failed orders of a batch, whatever the answer. */
export const submitFailed = (api: Api, { channelCode, channelOrderId }: Batch, query: Record<string, string> = {}) =>
  api.call('GET', '/licenseOrder/batchOrder/failed', { query: { channelCode, channelOrderId, ...query } });

/** Returns the failed orders of a batch, checked against the contract. */
export async function readFailed(
  api: Api,
  batch: Batch,
): Promise<{ channelCode: string; syncMode: string; orderList: Sent[] }> {
  const data = dataOf(await submitFailed(api, batch));
  strictAnswer.parse(data);
  return data;
}

/** Returns a long number; orders with thousands of them do not fit into a connection's buffers. */
export const newLongNum = () => `${'9'.repeat(200)}${randomUUID()}`;
