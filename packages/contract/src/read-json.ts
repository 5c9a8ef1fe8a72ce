import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { BatchOrder } from './batch-order.ts';
import { Refusal } from './causes.ts';
import { checkJsonShape } from './json-shape.ts';
import { MAX_LIST_ELEMENTS } from './order-items.ts';
import { checkInstances } from './order-size.ts';
import { parse } from './parse.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a body as JSON. Bytes that are not UTF-8 are refused: decoded all the same, they would store mangled names.
 *
 * Throws a Refusal: json_malformed, and what checkJsonShape throws (decisions 1 and 4).
 */
export function readJson(bytes: Buffer, maxListElements?: number): unknown {
  if (!isUtf8(bytes)) throw new Refusal('json_malformed');
  checkJsonShape(bytes, maxListElements);
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as unknown;
  } catch {
    throw new Refusal('json_malformed');
  }
}

const { channelCode, channelOrderId } = BatchOrder.shape;
const BatchName = z.object({
  channelCode: channelCode.optional().catch(undefined),
  channelOrderId: channelOrderId.optional().catch(undefined),
});
/** What the channel that sends a batch calls it, where it does. */
export type BatchName = z.infer<typeof BatchName>;

/** The refusal of a batch that could be read as JSON, with what it is called, as far as that is as it should be. */
export class BatchRefusal extends Refusal {
  readonly batchName: BatchName;

  constructor({ reason, message }: Pick<Refusal, 'reason' | 'message'>, batchName: BatchName) {
    super(reason);
    this.message = message;
    this.batchName = batchName;
  }
}

/**
 * Reads the body of O5 and of its preview. Throws a Refusal: what readJson throws, and a BatchRefusal: batch_too_large, and
 * that of the first fault (decisions 6.1); then nothing of it is good for anything.
 */
export function readBatchOrder(bytes: Buffer): BatchOrder {
  const json = readJson(bytes, MAX_LIST_ELEMENTS);
  try {
    const batch = parse(BatchOrder, json);
    checkInstances(batch.orderList);
    return batch;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new BatchRefusal(error, BatchName.safeParse(json).data ?? {});
  }
}
