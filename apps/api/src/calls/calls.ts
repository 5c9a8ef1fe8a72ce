import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BatchId, LicenseOrderId, OperationId, WebhookId } from '@lockstep/contract';
import type { ConsoleOperationId } from '@lockstep/contract/console';
import { type Database, Deadline, within } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpMetrics } from '../metrics.ts';
import { isUnfinished } from './connections.ts';
import { endCallSpan, startCallSpan } from './spans.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether monitoring calls it every few seconds. It is then not counted, and logged at debug. */
    isProbe?: boolean;
  }
  interface FastifyRequest {
    /** The state that this file keeps for the call. */
    call?: CallState;
  }
}

/**
 * What a call is about, as far as known. It links the log line of the call to those of the drains that worked for it.
 */
export interface Subject {
  /** The application that calls. */
  appKey?: string;
  /** The name of the operator who calls, in the console. */
  operator?: string;
  /** The address from which a login to the console comes. */
  address?: string;
  channelCode?: string | undefined;
  channelOrderId?: string | undefined;
  batchId?: BatchId;
  /** The ids of the orders, if there are few. */
  licenseOrderIds?: readonly LicenseOrderId[];
  webhookId?: WebhookId;
  /** The number of orders in the call, and how many of them failed when they were accepted. */
  orders?: number;
  failed?: number;
}

interface CallState {
  /** The code of its answer. Absent if the HTTP status is the code. */
  code?: string;
  /** The cause of its refusal. */
  cause?: string;
  subject: Subject;
  /** Whether its answer is decided, so that no work is left. */
  isDecided: boolean;
  /** Whether its answer was sent or its client has disconnected. */
  isClosed: boolean;
  ends: (() => void)[];
}

function trackCall(request: FastifyRequest): CallState {
  request.call ??= { subject: {}, isDecided: false, isClosed: false, ends: [] };
  return request.call;
}

/** Records the code of an answer, and the cause if the call was refused, for the log line and the metrics. */
export function noteCode(request: FastifyRequest, code: string, cause?: string): void {
  Object.assign(trackCall(request), { code, cause });
}

/** Records what a call is about, for its log line: ids and counts, never personal or secret data. */
export function noteSubject(request: FastifyRequest, subject: Subject): void {
  Object.assign(trackCall(request).subject, subject);
}

/**
 * Runs `end` once, when the answer is decided and the connection is done with the call. If the client disconnects
 * first, the work continues until the answer is decided.
 */
export function onCallEnd(request: FastifyRequest, end: () => void): void {
  const call = trackCall(request);
  if (call.isDecided && call.isClosed) end();
  else call.ends.push(end);
}

/**
 * Returns a call within a call, with another query: the call of one page of an export. What it holds ends with `end`.
 */
export function partOfCall(request: FastifyRequest, query: object): { part: FastifyRequest; end: () => void } {
  const ends: CallState['ends'] = [];
  const call: CallState = { ...trackCall(request), isDecided: false, isClosed: false, ends };
  const part: FastifyRequest = Object.assign(Object.create(request), { query, call });
  return {
    part,
    end: () => {
      for (const end of ends.splice(0)) end();
    },
  };
}

function endIfOver(call: CallState): void {
  if (!call.isDecided || !call.isClosed) return;
  for (const end of call.ends.splice(0)) end();
}

/** Gives every answer its x-request-id and log line, and every call but probes a metric sample (rules 1). */
export function observeCalls(server: FastifyInstance, metrics: HttpMetrics): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const call = trackCall(request);
    startCallSpan(request);
    onCallEnd(request, () => recordCall(metrics, request, reply));
    // The hook onResponse does not run if the client has disconnected.
    onceClosed(request.raw.socket, reply.raw, () => {
      call.isClosed = true;
      endIfOver(call);
    });
  });
  // While the server closes, each answer closes its connection, which would otherwise keep the server open.
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
  });
  server.addHook('onSend', async (request, reply) => {
    if (closing || isUnfinished(request.raw)) reply.header('connection', 'close');
    const call = trackCall(request);
    call.isDecided = true;
    endIfOver(call);
  });
}

/**
 * Runs `closed` once, when the answer or its connection closes. A pipelined answer that has not started gets no close
 * event of its own.
 */
function onceClosed(socket: Socket, answer: ServerResponse, closed: () => void): void {
  const close = () => {
    socket.off('close', close);
    answer.off('close', close);
    closed();
  };
  // Any number of calls may be pipelined.
  socket.setMaxListeners(0).once('close', close);
  answer.once('close', close);
}

/** Writes the log line of a call and counts it. Call it directly only for answers that bypass the hooks. */
export function recordCall(metrics: HttpMetrics, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  const { cause, subject, code: noted } = trackCall(request);
  const code = noted ?? (reply.statusCode === 200 ? '0' : String(reply.statusCode));
  const seconds = reply.elapsedTime / 1_000;
  const isAnswered = reply.raw.writableFinished;
  const isProbe = request.routeOptions.config.isProbe === true;
  const labels = { method, route, code, ...(code === '500' && { cause }) };
  if (!isProbe) metrics.httpSeconds.observe(labels, seconds);
  if (!isProbe && !isAnswered) metrics.httpUnanswered.inc(labels);
  const ended = isAnswered ? 'answered' : 'client left';
  const traceId = endCallSpan(request, reply, { ...subject, code, cause });
  // A refused probe is worth a log line.
  const level = isProbe && cause === undefined ? 'debug' : 'info';
  request.log[level](
    { method, route, status: reply.statusCode, code, cause, ...subject, seconds, ended, traceId },
    'call',
  );
}

/** How long a call can take from its head to its answer. Receiving the body does not count. */
const CALL_TIMEOUT_MS = 10_000;
/** For calls that wait for data that orders are changing, and previews. */
const CHANGE_TIMEOUT_MS = 15_000;
/** Longer limits, by operation. */
const TIMEOUTS_MS: Partial<Record<OperationId, number>> = {
  // Callers can ask them to wait 30 seconds.
  getBatchResult: 40_000,
  getEvents: 40_000,
  previewBatchOrder: CHANGE_TIMEOUT_MS,
  createBatchOrder: CHANGE_TIMEOUT_MS,
  cancelBatchOrder: CHANGE_TIMEOUT_MS,
  lockAssets: CHANGE_TIMEOUT_MS,
  unlockAssets: CHANGE_TIMEOUT_MS,
  freezeAssets: CHANGE_TIMEOUT_MS,
  unfreezeAssets: CHANGE_TIMEOUT_MS,
  // Hashing a hundred passwords takes seconds, and longer if other calls hash too.
  addEmployees: 30_000,
  deleteEmployee: CHANGE_TIMEOUT_MS,
  configureAssets: CHANGE_TIMEOUT_MS,
  configureEmployees: CHANGE_TIMEOUT_MS,
  lendAssets: CHANGE_TIMEOUT_MS,
};
/** Longer limits, by operation of the console. */
const CONSOLE_TIMEOUTS_MS: Partial<Record<ConsoleOperationId, number>> = {
  cancelBatch: CHANGE_TIMEOUT_MS,
  pauseChannel: CHANGE_TIMEOUT_MS,
  // The provider may be slow.
  logInByProvider: 30_000,
};
/** How long a call on a shared connection waits for a lock of another transaction. */
const MAX_LOCK_WAIT_MS = 2_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The time by which the call must be answered. */
    deadline: Deadline;
    /** The database for this call: queries end with its deadline and wait only briefly for locks. */
    readonly db: Database;
  }
}

/** Gives every call one deadline for all its work. When the call ends, everything that waits for it stops waiting. */
export function boundCalls(server: FastifyInstance, db: Database): void {
  server.decorateRequest('deadline');
  server.decorateRequest('db', {
    getter() {
      return within(db, this.deadline, MAX_LOCK_WAIT_MS);
    },
  });
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    request.deadline = new Deadline(timeoutMsOf(request));
    // The call ends when it is answered or refused, or when its client disconnects, which may already have happened.
    reply.raw.once('close', () => request.deadline.end());
    if (reply.raw.destroyed) request.deadline.end();
  });
}

function timeoutMsOf({ routeOptions }: FastifyRequest): number {
  const { operationId, consoleOperationId } = routeOptions.config;
  const own = operationId ? TIMEOUTS_MS[operationId] : consoleOperationId && CONSOLE_TIMEOUTS_MS[consoleOperationId];
  return own ?? CALL_TIMEOUT_MS;
}
