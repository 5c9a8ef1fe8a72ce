import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { BatchOrder } from './batch-order.ts';
import { Refusal } from './causes.ts';
import { checkJsonShape } from './json-shape.ts';
import { findUnknownFields } from './misspellings.ts';
import { MAX_LIST_ELEMENTS } from './order-items.ts';
import { checkInstances, checkText } from './order-size.ts';
import { check } from './parse.ts';
import { readValidBatch } from './valid-batch.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a body as JSON. Refuses bytes that are not UTF-8, because decoding them would store mangled names.
 *
 * Throws a Refusal: json_malformed, and what checkJsonShape throws (rules 1 and 4).
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
/** The key of a batch as the channel sent it, as far as it is valid. */
export type BatchName = z.infer<typeof BatchName>;

/** The refusal of a batch that is JSON, with the valid parts of its key, for the log. */
export class BatchRefusal extends Refusal {
  readonly batchName: BatchName;

  constructor({ reason, message, faults }: Pick<Refusal, 'reason' | 'message' | 'faults'>, batchName: BatchName) {
    super(reason);
    this.message = message;
    this.faults = faults;
    this.batchName = batchName;
  }
}

/** A batch, and the paths of the first fields that are ignored because nobody knows them. */
export interface BatchBody {
  batch: BatchOrder;
  ignoredFields: string[];
}

/**
 * Reads the body of O5 or of its preview. Throws the Refusals of readJson, and a BatchRefusal: batch_too_large, or that
 * of the first fault (rules 6.1). A batch with one fault is refused as a whole.
 */
export function readBatchOrder(bytes: Buffer): BatchBody {
  const json = readJson(bytes, MAX_LIST_ELEMENTS);
  try {
    const { misspelled, ignored } = findUnknownFields(BatchOrder, json);
    const batch = misspelled.length === 0 ? readValidBatch(json) : null;
    const checked = batch === null ? check(BatchOrder, json, [], misspelled) : { ok: true as const, value: batch };
    if (!checked.ok) throw checked.refusal;
    checkInstances(checked.value.orderList);
    checkText(checked.value.orderList, bytes.length);
    return { batch: checked.value, ignoredFields: ignored };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new BatchRefusal(error, BatchName.safeParse(json).data ?? {});
  }
}
