import { randomUUID } from 'node:crypto';
import { FailedOrders, operations } from '@lockstep/contract';
import { z } from 'zod';
import { type Api, dataOf } from '../api.ts';
import { openAnswer } from '../network/unread-answers.ts';
import { productToBuy, type Sent } from './orders.ts';

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

/** Requests them on its own connection. Returns the answer before any of its body is read. */
export const openFailed = (api: Api, { channelCode, channelOrderId }: Batch) =>
  openAnswer(api, operations.getFailedOrders.path, { query: { channelCode, channelOrderId } });

const TEXT = 'x'.repeat(250);
const FEATURE = { featureCode: TEXT, featureName: TEXT, featureValue: TEXT, featureValueType: TEXT };
/** Makes an order a megabyte long, so that a batch of them does not fit into a connection's buffers. */
export const MEGABYTE = {
  products: [productToBuy({ productFeatures: Array(1_000).fill({ ...FEATURE, trial: 0, trialEndDate: 0 }) })],
};

/** Returns a long number; orders with thousands of them do not fit into a connection's buffers. */
export const newLongNum = () => `${'9'.repeat(200)}${randomUUID()}`;
