import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ApplicationId, BatchName, CustomerId, Order, Refusal } from '@lockstep/contract';
import type { ChannelIds, PreparedBatch } from '@lockstep/orders/prepare';

/** The input of a thread: the body of O5 or of its preview. */
export interface BatchTask {
  bytes: Uint8Array;
  applicationId: ApplicationId;
  isPreview: boolean;
  /** The port on which the thread asks for the channels of customers. */
  port: MessagePort;
}

/** The output of a thread. Its bytes are transferred, not copied. */
export type BatchAnswer =
  | { refusal: Pick<Refusal, 'reason' | 'message' | 'faults'>; batchName: BatchName }
  | {
      refusal: null;
      /** Without payloads if `orders` contains the orders. */
      prepared: PreparedBatch;
      ignoredFields: string[];
      /** The orders of a sync batch or a preview, in the order of orderList, as several JSON lists; otherwise empty. */
      orders: Uint8Array[];
    };

/** The minimum length of each part but the last, in UTF-16 units. */
const PART_CHARACTERS = 512 * 1024;

/** Writes orders as several JSON lists, so that the reader can yield to the event loop between them. */
export function* writeOrders(orders: readonly Order[]): Generator<string> {
  let part: string[] = [];
  let characters = 0;
  for (const order of orders) {
    const json = JSON.stringify(order);
    part.push(json);
    characters += json.length;
    if (characters < PART_CHARACTERS) continue;
    yield `[${part.join(',')}]`;
    part = [];
    characters = 0;
  }
  yield `[${part.join(',')}]`;
}

/** Reads orders from such lists. Yields to the event loop after each. */
export async function readOrders(parts: readonly Uint8Array[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const part of parts) {
    orders.push(...(JSON.parse(new TextDecoder().decode(part)) as Order[]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return orders;
}

/** Asks the main thread for the channels of customers. Throws an Error if it does not answer. */
export async function askForChannels(port: MessagePort, customerIds: readonly CustomerId[]): Promise<ChannelIds> {
  const left = new AbortController();
  port.once('close', () => left.abort());
  port.postMessage(customerIds);
  const [channelIds] = await once(port, 'message', { signal: left.signal });
  port.close();
  return channelIds;
}

/**
 * Runs `work` on a thread, and answers its request for channels. Throws what `work` or `find` throws; if `find` fails,
 * the thread stops waiting.
 */
export async function answerThread<Answer>(
  find: (customerIds: readonly CustomerId[]) => Promise<ChannelIds>,
  work: (port: MessagePort) => Promise<Answer>,
): Promise<Answer> {
  const { port1: asked, port2: asking } = new MessageChannel();
  const failed = new Promise<never>((_, reject) => {
    asked.once('message', (customerIds) => {
      find(customerIds).then((found) => asked.postMessage(found), reject);
    });
  });
  try {
    return await Promise.race([work(asking), failed]);
  } finally {
    asked.close();
  }
}
