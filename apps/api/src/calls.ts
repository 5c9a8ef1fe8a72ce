import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpMetrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it is what watches the process that calls, every few seconds, so that its lines are for who asks for them. */
    isProbe?: boolean;
  }
}

/** What a call is about, as far as it is known: it leads from its log line to those of the drains that worked for it. */
export interface Subject {
  /** The application that calls. */
  appKey?: string;
  channelCode?: string | undefined;
  channelOrderId?: string | undefined;
  batchId?: string;
  /** The orders, where they are not many. */
  licenseOrderIds?: readonly string[];
  /** How many orders the call brings. */
  orders?: number;
}

/** What is known of a call besides its request. */
interface Call {
  /** The business code that it was answered with; absent where that is the HTTP status. */
  code?: string;
  /** Why it was refused. */
  cause?: string;
  subject: Subject;
  /** Whether its answer is decided: nothing works for it any more. */
  isDecided: boolean;
  /** Whether its connection has done with it: the answer is out, or nobody is there to have it. */
  isClosed: boolean;
  decisions: (() => void)[];
  ends: (() => void)[];
}

const calls = new WeakMap<FastifyRequest, Call>();

function callOf(request: FastifyRequest): Call {
  const known = calls.get(request);
  if (known !== undefined) return known;
  const call: Call = { subject: {}, isDecided: false, isClosed: false, decisions: [], ends: [] };
  calls.set(request, call);
  return call;
}

/** Notes the business code that a call was answered with, for its log line and its metrics, and why if it was refused. */
export function noteCode(request: FastifyRequest, code: string, cause?: string): void {
  Object.assign(callOf(request), { code, cause });
}

/** Notes what a call is about, for its log line: ids and counts, never what is personal or secret. */
export function noteSubject(request: FastifyRequest, subject: Subject): void {
  Object.assign(callOf(request).subject, subject);
}

/**
 * Runs `end` once when the call is over, however it ends: nothing works for it any more, and its connection has done with
 * it. A client that leaves ends the connection's part only; what it has set going is still under way.
 */
function onCallEnd(request: FastifyRequest, end: () => void): void {
  const call = callOf(request);
  if (call.isDecided && call.isClosed) end();
  else call.ends.push(end);
}

/**
 * Runs `decided` once when a call's answer is decided, so that nothing works for it any more: what it takes is given back
 * then, however long its client takes to read the answer.
 */
export function onCallDecided(request: FastifyRequest, decided: () => void): void {
  const call = callOf(request);
  if (call.isDecided) decided();
  else call.decisions.push(decided);
}

function endIfOver(call: Call): void {
  if (!call.isDecided || !call.isClosed) return;
  for (const end of call.ends.splice(0)) end();
}

/** Gives every answer its x-request-id, and every call one log line and one place in the metrics (decisions 1). */
export function observeCalls(server: FastifyInstance, metrics: HttpMetrics): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const call = callOf(request);
    onCallEnd(request, () => noteCall(metrics, request, reply));
    // Not the hook onResponse, which does not run for a client that has left.
    onceClosed(request.raw.socket, reply.raw, () => {
      call.isClosed = true;
      endIfOver(call);
    });
  });
  // What is answered while the server closes ends its connection, which would keep the server open otherwise.
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
  });
  server.addHook('onSend', async (request, reply) => {
    if (closing) reply.header('connection', 'close');
    const call = callOf(request);
    call.isDecided = true;
    for (const decided of call.decisions.splice(0)) decided();
    endIfOver(call);
  });
}

/** Of a connection, what its calls wait for: an answer that still waits for its turn does not hear of the end. */
const closings = new WeakMap<Socket, Set<() => void>>();

/** Runs `closed` once: when the answer has closed, or its connection has. */
function onceClosed(socket: Socket, answer: ServerResponse, closed: () => void): void {
  const waiting = closings.get(socket) ?? new Set<() => void>();
  if (!closings.has(socket)) {
    closings.set(socket, waiting);
    socket.once('close', () => {
      for (const close of [...waiting]) close();
    });
  }
  const close = () => {
    if (waiting.delete(close)) closed();
  };
  waiting.add(close);
  answer.once('close', close);
}

/** Writes a call's log line and counts it. For the few answers that the hooks above do not see. */
export function noteCall(metrics: HttpMetrics, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  const { cause, subject, code: noted } = callOf(request);
  const code = noted ?? (reply.statusCode === 200 ? '0' : String(reply.statusCode));
  const seconds = reply.elapsedTime / 1_000;
  const isAnswered = reply.raw.writableFinished;
  metrics.httpSeconds.observe({ method, route, code }, seconds);
  if (!isAnswered) metrics.httpUnanswered.inc({ method, route, code });
  const ended = isAnswered ? 'answered' : 'client left';
  // What is no good call is of interest wherever it went.
  const level = request.routeOptions.config.isProbe === true && cause === undefined ? 'debug' : 'info';
  request.log[level]({ method, route, status: reply.statusCode, code, cause, ...subject, seconds, ended }, 'call');
}
