import type { BatchName, Order, Refusal } from '@lockstep/contract';
import type { PreparedBatch } from '@lockstep/orders/prepare';

/** What a thread is asked for: to check the body of O5 or of its preview, and to prepare it. */
export interface BatchTask {
  bytes: Uint8Array;
  applicationId: string;
  isPreview: boolean;
}

/** What it answers. The bytes are handed over, not copied. */
export type BatchAnswer =
  | { refusal: Pick<Refusal, 'reason' | 'message'>; batchName: BatchName }
  | {
      refusal: null;
      /** Without payloads where the orders are given. */
      prepared: PreparedBatch;
      /** The orders in the order of orderList, where they are carried out or looked at at once: JSON lists of some each. */
      orders: Uint8Array[];
    };

/** What one part of the orders is long at least, unless it is the last. */
const PART_CHARACTERS = 512 * 1024;

/** Orders as JSON lists, so that who reads them can do something else in between. */
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

/** The orders of such lists. It lets others have the event loop after each. */
export async function readOrders(parts: readonly Uint8Array[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const part of parts) {
    orders.push(...(JSON.parse(new TextDecoder().decode(part)) as Order[]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return orders;
}
