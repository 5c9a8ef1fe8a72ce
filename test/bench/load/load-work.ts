import type { Customer } from '@lockstep/contract';

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
