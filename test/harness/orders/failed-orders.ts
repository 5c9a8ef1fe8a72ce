import { randomUUID } from 'node:crypto';
import { FailedOrders, operations } from '@lockstep/contract';
import { z } from 'zod';
import { type Api, dataOf } from '../api.ts';
import { openAnswer } from '../network/unread-answers.ts';
import { productToBuy, type Sent } from './orders.ts';

/** What names a batch. */
export type Batch = { channelCode: string; channelOrderId: string };

const strictAnswer = z.strictObject(FailedOrders.shape);

/** Asks for the failed orders of a batch, whatever the answer. */
export const submitFailed = (api: Api, { channelCode, channelOrderId }: Batch, query: Record<string, string> = {}) =>
  api.call('GET', '/licenseOrder/batchOrder/failed', { query: { channelCode, channelOrderId, ...query } });

/** What the answer holds, which is held against the contract. */
export async function readFailed(
  api: Api,
  batch: Batch,
): Promise<{ channelCode: string; syncMode: string; orderList: Sent[] }> {
  const data = dataOf(await submitFailed(api, batch));
  strictAnswer.parse(data);
  return data;
}

/** The answer as it begins, of which nothing is read yet, on a connection of its own. */
export const openFailed = (api: Api, { channelCode, channelOrderId }: Batch) =>
  openAnswer(api, operations.getFailedOrders.path, { query: { channelCode, channelOrderId } });

const TEXT = 'x'.repeat(250);
const FEATURE = { featureCode: TEXT, featureName: TEXT, featureValue: TEXT, featureValueType: TEXT };
/** What makes an order a megabyte: a batch of such orders does not fit into the buffers of a connection. */
export const MEGABYTE = {
  products: [productToBuy({ productFeatures: Array(1_000).fill({ ...FEATURE, trial: 0, trialEndDate: 0 }) })],
};

/** Orders with thousands of these do not fit into the buffers of a connection. */
export const newLongNum = () => `${'9'.repeat(200)}${randomUUID()}`;
