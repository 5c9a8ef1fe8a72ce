import { type BatchOrder, BatchRefusal, Refusal, readBatchOrder } from '@lockstep/contract';
import { prepareBatch } from '@lockstep/orders/prepare';
import Tinypool, { type Transferable } from 'tinypool';
import { type BatchAnswer, type BatchTask, writeOrders } from './batch-task.ts';

/** Checks a large batch and prepares it, on a thread of its own instead of the event loop. */
export default function checkAndPrepare({ bytes, applicationId, isPreview }: BatchTask): unknown {
  let batch: BatchOrder;
  try {
    batch = readBatchOrder(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message } = error;
    const batchName = error instanceof BatchRefusal ? error.batchName : {};
    return { refusal: { reason, message }, batchName } satisfies BatchAnswer;
  }
  const prepared = prepareBatch(applicationId, batch);
  const isAppliedAtOnce = isPreview || batch.syncMode === 'sync';
  const answer = {
    refusal: null,
    prepared: {
      ...prepared,
      chunks: prepared.chunks.map((chunk) => ({ ...chunk, payload: isAppliedAtOnce ? '' : encode(chunk.payload) })),
    },
    orders: isAppliedAtOnce ? Array.from(writeOrders(batch.orderList), encode) : [],
  } satisfies BatchAnswer;
  return Tinypool.move(transferBytes(answer));
}

const encode = (text: string | Uint8Array) => (typeof text === 'string' ? new TextEncoder().encode(text) : text);

/** Marks the bytes of an answer for transfer, so that they are not copied. */
function transferBytes(answer: BatchAnswer & { refusal: null }): Transferable {
  const payloads = answer.prepared.chunks.map(({ payload }) => payload);
  const transferred = [...payloads, ...answer.orders].filter((bytes) => typeof bytes !== 'string');
  return {
    [Tinypool.transferableSymbol]: transferred.map(({ buffer }) => buffer),
    [Tinypool.valueSymbol]: answer,
  } as unknown as Transferable;
}
