import { randomUUID } from 'node:crypto';
import type { Customer } from '@lockstep/contract';
import { newBuy } from '../../harness/orders/orders.ts';

/** What a load generator sends: batches of orders, or questions again and again. */
export type Requests =
  | {
      kind: 'batches';
      mode: 'async' | 'sync';
      batches: number;
      ordersPerBatch: number;
      customers: Customer[];
      /** Makes channel order ids (`TAG-0` and so on) and asset numbers its own. */
      tag: string;
    }
  | { kind: 'question' };

/** How it sends them: each caller as soon as it has an answer, or so many a second whatever the answers do. */
export type Pace =
  | { kind: 'callers'; callers: number; durationMs?: number }
  | { kind: 'rate'; perSecond: number; connections: number };

export interface LoadWork {
  baseUrl: string;
  /** Paths with their queries, to which a nonce is added; calls take them in turn. */
  targets: readonly string[];
  headers: Record<string, string>;
  requests: Requests;
  pace: Pace;
}

/** What came of it. Times are milliseconds since 1970, as PostgreSQL on the same machine has them. */
export interface LoadResult {
  startedMs: number;
  endedMs: number;
  /** For each call, from the time at which it was due to its answer. */
  latenciesMs: Float64Array;
  /** For each call, when it was answered. */
  answeredMs: Float64Array;
  /** Calls that were refused for overload and sent again. */
  repeats: number;
  /** Of all requests, heads and bodies. */
  sentBytes: number;
  processorMicros: number;
}

/** The batches that a load generator sends, one after the other: purchases, each for the next of the customers. */
export function buildBodies(requests: Extract<Requests, { kind: 'batches' }>): Buffer[] {
  const { batches, ordersPerBatch, customers, tag, mode } = requests;
  let sent = 0;
  return Array.from({ length: batches }, (_, batch) => {
    // Numbers of a batch lie together, and batches anywhere among all numbers.
    const range = randomUUID().slice(0, 8);
    const orderList = Array.from({ length: ordersPerBatch }, (_, place) =>
      newBuy(customers[sent++ % customers.length]!, [`${range}-${tag}-${place}`]),
    );
    return Buffer.from(
      JSON.stringify({ channelCode: 'bench', channelOrderId: `${tag}-${batch}`, syncMode: mode, orderList }),
    );
  });
}
