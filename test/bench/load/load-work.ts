import { randomUUID } from 'node:crypto';
import type { Customer } from '@lockstep/contract';
import { newBuy } from '../../harness/orders/orders.ts';

/** What a load generator sends: batches of orders, or reads over and over. */
export type Requests =
  | {
      kind: 'batches';
      mode: 'async' | 'sync';
      batches: number;
      ordersPerBatch: number;
      customers: Customer[];
      /** Prefix of channel order ids (`TAG-0` and so on), and part of asset numbers. */
      tag: string;
    }
  | { kind: 'question' };

/** How it sends them: callers that each wait for the answer before the next call, or a fixed rate. */
export type Pace =
  | { kind: 'callers'; callers: number; durationMs?: number }
  | { kind: 'rate'; perSecond: number; connections: number };

export interface LoadWork {
  baseUrl: string;
  /** Paths with queries, to which a nonce is appended. Calls take them in turn. */
  targets: readonly string[];
  headers: Record<string, string>;
  requests: Requests;
  pace: Pace;
}

/**
 * What the load generator measured. Times are milliseconds since 1970, comparable with PostgreSQL's on the same
 * machine.
 */
export interface LoadResult {
  startedMs: number;
  endedMs: number;
  /** For each call, from its due time to its answer. */
  latenciesMs: Float64Array;
  /** For each call, the time of its answer. */
  answeredMs: Float64Array;
  /** Retries after the service refused a call as overloaded. */
  repeats: number;
  /** Heads and bodies of all requests. */
  sentBytes: number;
  processorMicros: number;
}

/** Builds the batches that a load generator sends: purchases by each customer in turn. */
export function buildBodies(requests: Extract<Requests, { kind: 'batches' }>): Buffer[] {
  const { batches, ordersPerBatch, customers, tag, mode } = requests;
  let sent = 0;
  return Array.from({ length: batches }, (_, batch) => {
    // Asset numbers of one batch are adjacent, and batches are spread at random.
    const range = randomUUID().slice(0, 8);
    const orderList = Array.from({ length: ordersPerBatch }, (_, place) =>
      newBuy(customers[sent++ % customers.length]!, [`${range}-${tag}-${place}`]),
    );
    return Buffer.from(
      JSON.stringify({ channelCode: 'bench', channelOrderId: `${tag}-${batch}`, syncMode: mode, orderList }),
    );
  });
}
