import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { explainListenFault } from '@lockstep/config';
import { failure, type OperationId, Refusal } from '@lockstep/contract';
import { ME_ROOT } from '@lockstep/contract/routes';
import type { FaultPlan } from './faults.ts';
import { findMagic, rewriteBatch } from './magic.ts';
import { type Call, digest, findOperationId, MAX_CALLS } from './record.ts';

const HOST = '127.0.0.1';
/** The service refuses longer bodies. It gets so much of them that it does. */
const MAX_BODY_BYTES = 4 * 1_024 * 1_024 + 1;
const MAX_CONNECTIONS = 256;
/** Longer than an integration leaves a connection idle: only planned faults break one. */
const KEEP_ALIVE_MS = 300_000;
const RETRY_AFTER_SECONDS = '1';
/** Headers of one connection. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'expect', 'host', 'content-length'];

type Fields = Record<string, unknown>;
interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The service behind the proxy. */
interface Service {
  baseUrl: string;
  revoke: (token: string) => Promise<unknown>;
}

/** The address of the sandbox for the integration. It does to calls what the plan says, and records them. */
export class FaultyProxy {
  readonly calls: Call[] = [];
  readonly #plan: FaultPlan;
  readonly #server: Server;
  #service: Service | undefined;

  private constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Listens on a port of this machine; 0: any free one. Throws an Error of one line if it can't. */
  static async open(port: number, plan: FaultPlan): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(plan);
    try {
      await once(proxy.#server.listen(port, HOST), 'listening');
    } catch (error) {
      throw explainListenFault(error, HOST, port, '--port');
    }
    return proxy;
  }

  get baseUrl(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Passes calls on from now on. */
  forwardTo(service: Service): void {
    this.#service = service;
  }

  async close(): Promise<void> {
    this.#server.close().closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.baseUrl);
    const id = findOperationId(request.method ?? 'GET', url.pathname);
    const body = await readBody(request);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const forward = (sent: string | Buffer) => this.#forward(request, sent, left.signal);
    if (id === undefined) return void (await send(await forward(body), response));

    const batch = id === 'createBatchOrder' ? readJson(body) : Object.fromEntries(url.searchParams);
    const magic = id === 'createBatchOrder' ? findMagic(batch.channelOrderId) : undefined;
    const call = this.#describe(id, request, url, body, batch);
    if (magic === undefined) call.fault = this.#plan.next(call);
    else if (magic === 'UNKNOWN-' && batch.syncMode === 'sync' && !this.calls.some((each) => isUnknown(each, call)))
      call.fault = 'unknown';
    if (this.calls.length < MAX_CALLS) this.calls.push(call);
    try {
      if (call.fault === 'revoked') await this.#service?.revoke(readToken(request) ?? '');
      const answer = await answerBy(call, url.pathname, () => forward(rewriteBatch(magic, batch) ?? body));
      if (call.fault === 'half') await sendHalf(answer, response);
      if (call.fault === 'half' || call.fault === 'lost' || call.fault === 'cut') request.socket.destroy();
      else if (await send(answer, response)) describeAnswer(call, answer, url.searchParams);
    } finally {
      call.endTime = Date.now();
    }
  }

  #describe(id: OperationId, request: IncomingMessage, url: URL, body: Buffer, batch: Fields): Call {
    const { method, headers } = request;
    const query = new URLSearchParams([...url.searchParams].filter(([name]) => name !== 'g_nonce'));
    const client = id === 'issueToken' ? headers.authorization : '';
    return {
      id,
      time: Date.now(),
      endTime: 0,
      content: digest([method, url.pathname, query, client, digest(body)].join('\n')),
      nonce: url.searchParams.get('g_nonce'),
      key: headers['idempotency-key']?.toString() ?? null,
      requestId: `certify-${randomUUID()}`,
      fault: null,
      hasActed: false,
      answer: null,
      batch: 'channelOrderId' in batch ? `${batch.channelCode}/${batch.channelOrderId}` : null,
      orders: id === 'createBatchOrder' ? digest(JSON.stringify([batch.channelCode, batch.orderList])) : null,
      feed: null,
    };
  }

  async #forward(request: IncomingMessage, body: string | Buffer, signal: AbortSignal): Promise<Answer> {
    const { method = 'GET', url } = request;
    const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
    const headers = { ...passOn(request.headers), ...length };
    const options = { method, headers, agent: false, signal };
    const given = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = requestHttp(`${this.#service?.baseUrl}${url}`, options);
      asked.on('response', resolve).on('error', reject).end(body);
    });
    return { status: given.statusCode!, headers: passOn(given.headers), body: await buffer(given) };
  }
}

/** Whether a call had the answer outcome_unknown for the batch of another call. */
const isUnknown = ({ fault, batch }: Call, other: Call) => fault === 'unknown' && batch === other.batch;

const readToken = ({ headers }: IncomingMessage) => /^Bearer +(\S+)/i.exec(headers.authorization ?? '')?.[1];

const passOn = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));

/** Asks the service, unless the call's fault prevents that. Returns the answer for the client. */
async function answerBy(call: Call, pathname: string, forward: () => Promise<Answer>): Promise<Answer> {
  const { fault } = call;
  const refuse = (cause: RefusedBy) => buildRefusal(cause, pathname, call.requestId);
  if (fault === 'gateway' || fault === 'cut') return buildPage(502);
  if (fault === 'overloaded') return refuse('overloaded');
  const answer = await forward();
  call.requestId = String(answer.headers['x-request-id']);
  call.hasActed = answer.status === 200;
  if (fault === 'repeated') return await forward();
  if (fault === 'error') return buildPage(500);
  if (fault === 'unavailable') return refuse('service_unavailable');
  return fault === 'unknown' && call.hasActed ? refuse('outcome_unknown') : answer;
}

/** Builds the page of a proxy that can't reach the service. */
const buildPage = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from(`<html><body><h1>${status}</h1></body></html>`),
});

type RefusedBy = 'overloaded' | 'service_unavailable' | 'outcome_unknown';

/** Builds a refusal as the service does (rules 1), or at the token endpoint an error of RFC 6749. */
function buildRefusal(cause: RefusedBy, pathname: string, requestId: string): Answer {
  const refusal = new Refusal(cause);
  const isToken = pathname.startsWith('/oauth2/');
  const body = isToken
    ? { error: 'temporarily_unavailable', error_description: refusal.message }
    : failure(refusal, pathname.startsWith(ME_ROOT) ? 'member' : 'order');
  return {
    status: isToken ? 503 : 299,
    headers: { 'content-type': 'application/json', 'retry-after': RETRY_AFTER_SECONDS, 'x-request-id': requestId },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Records what the client got. */
function describeAnswer(call: Call, { status, headers, body }: Answer, query: URLSearchParams): void {
  const { code, cause = null, data } = readJson(body);
  const retryAfterMs = Number(headers['retry-after'] ?? 0) * 1_000;
  // A token and an export have no code.
  call.answer = { status, code: status === 200 ? (code ?? 0) : code, cause: cause as string | null, retryAfterMs };
  if (call.id === 'getEvents' && code === 0) {
    const { events, lastId } = data as { events: { id: string }[]; lastId: string | null };
    const from = query.get('after') ?? '0';
    const after = from === 'latest' ? Number(events[0]?.id ?? Number(lastId) + 1) - 1 : Number(from);
    call.feed = { after, last: Number(lastId) };
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (length < MAX_BODY_BYTES) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES);
}

function readJson(body: Buffer): Fields {
  try {
    const value: unknown = JSON.parse(String(body));
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** Sends an answer. Returns whether the client took it. */
async function send({ status, headers, body }: Answer, response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return false;
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
  await once(response, 'close');
  return response.writableFinished;
}

async function sendHalf({ status, headers, body }: Answer, response: ServerResponse): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  await new Promise((resolve) => response.write(body.subarray(0, body.length >> 1), resolve));
}
