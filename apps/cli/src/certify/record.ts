import { hash } from 'node:crypto';
import type { OperationId } from '@lockstep/contract';
import { routes } from '@lockstep/contract/routes';

/** What the sandbox can do to a call, and what the report says of it. */
export const FAULTS = {
  lost: 'the connection was cut after the call took effect',
  half: 'the connection was cut in the middle of the answer',
  cut: 'the connection was cut before the call reached the service',
  error: 'HTTP 500 of a proxy after the call took effect',
  gateway: 'HTTP 502 of a proxy, with HTML; the call did not reach the service',
  unavailable: 'code 500, service_unavailable, after the call took effect',
  overloaded: 'code 500, overloaded, with Retry-After; the call did not reach the service',
  repeated: 'the call reached the service twice, with one nonce',
  revoked: 'the access token was revoked before the call',
  unknown: 'code 500, outcome_unknown, after the batch took effect',
} as const;

export type Fault = keyof typeof FAULTS;

/** A call of the integration. Secrets are kept as digests only. Times are milliseconds since 1970. */
export interface Call {
  id: OperationId;
  time: number;
  /** When the answer was sent, the connection was cut, or the client left. */
  endTime: number;
  /** Digest of method, path, query without the nonce, and body. */
  content: string;
  nonce: string | null;
  key: string | null;
  requestId: string;
  /** What the sandbox did to the call. */
  fault: Fault | null;
  /** Whether the service accepted it, though the client may not have heard of it. */
  hasActed: boolean;
  /** What the client got; null if the connection was cut or the client left. */
  answer: { status: number; code: unknown; cause: string | null; retryAfterMs: number } | null;
  /** The batch that it names. */
  batch: string | null;
  /** Digest of the orders that it submits. */
  orders: string | null;
  /** The part of the event feed that it read: the events after the first position, up to the last. */
  feed: { after: number; last: number } | null;
}

/** A message that the sandbox sent to a webhook, which a receiver must refuse. */
export interface Probe {
  kind: 'forged' | 'old';
  time: number;
  /** The webhook and the message, as the report names them. */
  message: string;
  /** Null without an answer. */
  status: number | null;
}

/** What the sandbox's database knows at the end. */
export interface Ledger {
  batches: {
    batch: string;
    isAsync: boolean;
    succeeded: number;
    failed: number;
    /** Null, like the position of its event, until all orders have an outcome. */
    completedTime: number | null;
    position: number | null;
  }[];
  /** Messages of events to webhooks, with their attempts in order. The batch is null if the event is not about one. */
  messages: { message: string; batch: string | null; attempts: { time: number; status: number | null }[] }[];
}

/** All that a run is judged by. */
export interface Run {
  calls: readonly Call[];
  probes: readonly Probe[];
  ledger: Ledger;
}

/** How many calls are recorded and judged, in some 10 MB. */
export const MAX_CALLS = 20_000;

export const isSubmission = ({ id }: Pick<Call, 'id'>) => id === 'createBatchOrder';

/**
 * Names what one task of an integration repeats: a submission, which a channelOrderId tells from others, or a call with
 * its Idempotency-Key. Null of any other call, which several tasks may make alike.
 */
export function nameTask(call: Pick<Call, 'id' | 'content' | 'key'>): string | null {
  if (isSubmission(call)) return call.content;
  return call.key === null ? null : `${call.content} ${call.key}`;
}

export const digest = (text: string | Buffer) => hash('sha256', text, 'hex').slice(0, 32);

/** Finds the operation of a call; undefined if it is none. Of two that match, the one without parameters counts. */
export function findOperationId(method: string, pathname: string): OperationId | undefined {
  const found = Object.entries(routes).filter(
    ([, route]) => route.method === method && new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  const [id] = found.find(([, { path }]) => path === pathname) ?? found[0] ?? [];
  return id as OperationId | undefined;
}
