import { type BatchBody, BatchRefusal, Refusal, readBatchOrder } from '@lockstep/contract';
import { type PreparedBatch, prepareBatch } from '@lockstep/orders/prepare';
import Tinypool, { type Transferable } from 'tinypool';
import { askForChannels, type BatchAnswer, type BatchTask, writeOrders } from './batch-task.ts';
import { allocateLarge, freeBytes } from './large-bytes.ts';

/** Checks and prepares a large batch on a thread. */
export default async function checkAndPrepare({ bytes, applicationId, isPreview, port }: BatchTask): Promise<unknown> {
  let body: BatchBody;
  try {
    body = readBatchOrder(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message, faults } = error;
    const batchName = error instanceof BatchRefusal ? error.batchName : {};
    return { refusal: { reason, message, faults }, batchName } satisfies BatchAnswer;
  }
  freeBytes(bytes);
  const { batch, ignoredFields } = body;
  const channelIds = isPreview
    ? new Map()
    : await askForChannels(
        port,
        batch.orderList.map(({ customerId }) => customerId),
      );
  const prepared = prepareBatch(applicationId, batch, channelIds);
  const isAppliedAtOnce = isPreview || batch.syncMode === 'sync';
  const answer = {
    refusal: null,
    ignoredFields,
    prepared: {
      ...prepared,
      chunks: isAppliedAtOnce
        ? prepared.chunks.map((chunk) => ({ ...chunk, payload: '' }))
        : encodePayloads(prepared.chunks),
    },
    orders: isAppliedAtOnce ? Array.from(writeOrders(batch.orderList), encode) : [],
  } satisfies BatchAnswer;
  return Tinypool.move(transferBytes(answer));
}

const encode = (text: string) => new TextEncoder().encode(text);

/**
 * Encodes the payloads of chunks into one piece of memory, each followed by a line end as PostgreSQL receives it. The
 * piece is transferred, sent and freed as one.
 */
function encodePayloads(chunks: PreparedBatch['chunks']): PreparedBatch['chunks'] {
  const lengths = chunks.map(({ payload }) => Buffer.byteLength(payload));
  const whole = allocateLarge(lengths.reduce((sum, length) => sum + length + 1, 0));
  let end = 0;
  return chunks.map((chunk, index) => {
    const start = end;
    end += lengths[index]! + 1;
    whole.write(`${chunk.payload}\n`, start);
    return { ...chunk, payload: whole.subarray(start, end - 1) };
  });
}

/** Marks the bytes of an answer for transfer, so that they are not copied. */
function transferBytes(answer: BatchAnswer & { refusal: null }): Transferable {
  const payloads = answer.prepared.chunks.map(({ payload }) => payload);
  const transferred = [...payloads, ...answer.orders].filter((bytes) => typeof bytes !== 'string');
  return {
    [Tinypool.transferableSymbol]: [...new Set(transferred.map(({ buffer }) => buffer))],
    [Tinypool.valueSymbol]: answer,
  } as unknown as Transferable;
}
