import { isUtf8 } from 'node:buffer';
import { Refusal } from './causes.ts';
import { checkJsonShape } from './json-shape.ts';
import { checkInstances } from './order-size.ts';
import { type BatchOrder, batchOrderBody, MAX_LIST_ELEMENTS } from './orders.ts';
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

/**
 * Reads the body of O5 and of its preview. Throws a Refusal: what readJson throws, batch_too_large, and that of the first
 * fault (decisions 6.1); then nothing of it is good for anything.
 */
export function readBatchOrder(bytes: Buffer): BatchOrder {
  const batch = parse(batchOrderBody, readJson(bytes, MAX_LIST_ELEMENTS));
  checkInstances(batch.orderList);
  return batch;
}
