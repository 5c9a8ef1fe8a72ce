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
  connection: number;
  /** Digest of method, path, query without the nonce, and body. */
  content: string;
  nonce: string | null;
  key: string | null;
  /** Digest of the access token. */
  token: string | null;
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
  /** Digest of the application's token that the client got. */
  issued: string | null;
  /** The part of the event feed that it read: the events after the first position, up to the last. */
  feed: { isLatest: boolean; after: number; last: number } | null;
}

/** A message that the sandbox sent to a webhook, which a receiver must refuse. */
export interface Probe {
  kind: 'forged' | 'altered' | 'old';
  time: number;
  webhookId: string;
  messageId: string;
  /** Null without an answer. */
  status: number | null;
}

/** A message of an event to a webhook. */
interface Message {
  webhookId: string;
  messageId: string;
  /** Null if the event is not about a batch. */
  batch: string | null;
  /** In order. */
  attempts: { time: number; status: number | null }[];
}

/** What the sandbox's database knows at the end. */
export interface Ledger {
  batches: { batch: string; isAsync: boolean; completedTime: number | null; failed: number }[];
  messages: Message[];
  /** The positions of the application's events. */
  positions: number[];
}

/** All that a run is judged by. */
export interface Run {
  calls: readonly Call[];
  probes: readonly Probe[];
  ledger: Ledger;
  /** How many calls came after the record was full. */
  unrecorded: number;
}

export const isSubmission = ({ id }: Pick<Call, 'id'>) => id === 'createBatchOrder';

/**
 * Names what one task of an integration repeats: a submission, which a channelOrderId tells from others, or a call with
 * its Idempotency-Key. Null of any other call, which several tasks may make alike.
 */
export function nameTask(call: Pick<Call, 'id' | 'content' | 'key'>): string | null {
  if (isSubmission(call)) return call.content;
  return call.key === null ? null : `${call.content} ${call.key}`;
}

/** Returns the name of a batch. */
export const nameBatch = (channelCode: unknown, channelOrderId: unknown) => `${channelCode}/${channelOrderId}`;

export const digest = (text: string | Buffer) => hash('sha256', text, 'hex').slice(0, 32);

const PATTERNS = Object.entries(routes).map(([id, { method, path }]) => ({
  id: id as OperationId,
  method: method as string,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  isFixed: !path.includes('{'),
}));

/** Finds the operation of a call; undefined if it is none. Of two that match, the one without parameters counts. */
export function findOperationId(method: string, pathname: string): OperationId | undefined {
  const found = PATTERNS.filter((each) => each.method === method && each.pattern.test(pathname));
  return (found.find(({ isFixed }) => isFixed) ?? found[0])?.id;
}
