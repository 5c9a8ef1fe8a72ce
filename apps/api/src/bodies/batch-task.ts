import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ApplicationId, BatchName, CustomerId, Order, Refusal } from '@lockstep/contract';
import type { ChannelIds, PreparedBatch } from '@lockstep/orders/prepare';

/** The input of a thread: the body of O5 or of its preview, to check and to prepare. */
export interface BatchTask {
  bytes: Uint8Array;
  applicationId: ApplicationId;
  isPreview: boolean;
  /** Where the thread asks for channels. */
  port: MessagePort;
}

/** The output of a thread. Its bytes are transferred, not copied. */
export type BatchAnswer =
  | { refusal: Pick<Refusal, 'reason' | 'message' | 'faults'>; batchName: BatchName }
  | {
      refusal: null;
      /** Without payloads if `orders` has the orders. */
      prepared: PreparedBatch;
      ignoredFields: string[];
      /** For a sync batch or a preview the orders in the order of orderList, as several JSON lists; else empty. */
      orders: Uint8Array[];
    };

/** The least length of each part of the orders but the last, in UTF-16 units. */
const PART_CHARACTERS = 512 * 1024;

/** Writes orders as several JSON lists, so that the reader can give way to other work between them. */
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

/** Reads the orders from such lists. Gives way to other work on the event loop after each. */
export async function readOrders(parts: readonly Uint8Array[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const part of parts) {
    orders.push(...(JSON.parse(new TextDecoder().decode(part)) as Order[]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return orders;
}

/** Asks the process of a thread for the channels of customers. Throws an error if it does not answer. */
export async function askForChannels(port: MessagePort, customerIds: readonly CustomerId[]): Promise<ChannelIds> {
  const left = new AbortController();
  port.once('close', () => left.abort());
  port.postMessage(customerIds);
  const [channelIds] = await once(port, 'message', { signal: left.signal });
  port.close();
  return channelIds;
}

/**
 * Answers a thread that asks for channels, while it works. Throws what its work or `find` throws; the thread gives up
 * if that cannot find them.
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
