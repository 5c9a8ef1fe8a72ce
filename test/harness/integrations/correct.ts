// An integration that does everything right, which `lockstep certify` must pass. It ends when it has learned all
// outcomes, and its webhook has refused the messages that it must refuse.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { APP_KEY, buildBatch, CREDENTIALS, ROOT, TOKENS } from './demo-batch.ts';

interface Answer {
  code?: number | string;
  cause?: string;
  access_token?: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  data?: any;
}

const UNCLEAR = ['nonce_replayed', 'service_unavailable', 'outcome_unknown'];

async function untilAnswered(send: () => Promise<Response>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    let pauseMs = 100 * 2 ** attempt;
    try {
      const response = await send();
      pauseMs = Math.max(pauseMs, 1_000 * Number(response.headers.get('retry-after')));
      const answer = (await response.json()) as Answer;
      if (response.status < 500 && answer.code !== '500' && !UNCLEAR.includes(answer.cause ?? '')) return answer;
    } catch {
      // No answer, half of one, or one of a proxy.
    }
    if (attempt === 6) throw new Error('It did not get through');
    await wait(pauseMs);
  }
}

async function askToken(): Promise<string> {
  const answer = await untilAnswered(() => fetch(TOKENS, { method: 'POST', body: CREDENTIALS }));
  return answer.access_token!;
}
let token = askToken();

async function call(path: string, query: Record<string, string>, body?: unknown): Promise<Answer> {
  const key = randomUUID();
  const ask = async (bearer: string) =>
    untilAnswered(() => {
      const search = new URLSearchParams({ ...query, appKey: APP_KEY, g_nonce: randomUUID() });
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': key };
      const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
      return fetch(`${ROOT}${path}?${search}`, sent);
    });
  const used = token;
  const answer = await ask(await used);
  if (answer.cause !== 'token_invalid') return answer;
  if (token === used) token = askToken();
  return await ask(await token);
}

async function submit(channelOrderId: string, syncMode: 'sync' | 'async'): Promise<string> {
  const { data: [assetNum] = [] } = await call('/shellnums', {}, { size: 1 });
  const accepted = await call('/licenseOrder/batchOrder', {}, buildBatch(channelOrderId, syncMode, assetNum));
  if (accepted.code !== 0) return accepted.cause!;
  if (syncMode === 'sync') return 'succeeded';
  const query = { channelCode: 'demo', channelOrderId, waitSeconds: '30' };
  for (;;) {
    const { data } = await call('/licenseOrder/batchOrder', query);
    if (data.state === 'completed') return data.orders[0].cause ?? 'succeeded';
  }
}

const ids = new Map<string, number>();
let refused = 0;
const { promise: probed, resolve } = Promise.withResolvers<void>();
const server = createServer(async (request, response) => {
  const body = await text(request);
  try {
    webhook.verify(body, request.headers as Record<string, string>);
    const id = String(request.headers['webhook-id']);
    ids.set(id, (ids.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  } catch {
    refused += 1;
    response.writeHead(401).end();
  }
  if (refused === 3 && Math.max(...ids.values()) > 1) resolve();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const webhook = new Webhook((await call('/webhooks', {}, { url })).data.secret);

const outcomes: Record<string, string> = {};
for (let number = 1; number <= 12; number += 1) outcomes[`A-${number}`] = await submit(`A-${number}`, 'async');
for (const word of ['REFUSED', 'FAILED', 'SLOW', 'HELD']) outcomes[word] = await submit(`${word}-1`, 'async');
for (const word of ['REFUSED', 'FAILED', 'UNKNOWN', 'SLOW'])
  outcomes[`${word} sync`] = await submit(`${word}-2`, 'sync');
// Three of the batches are refused.
const stored = Object.keys(outcomes).length - 3;
for (let [after, told] = ['', 0]; told < stored; ) {
  const { data } = await call('/events', { after, waitSeconds: '30' });
  told += data.events.length;
  after = data.lastId;
}
await probed;
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
server.close();
server.closeAllConnections();
