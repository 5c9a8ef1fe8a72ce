// An integration that does what integrators do at first, and `lockstep certify` must find: it repeats at once whatever
// fails, with the same nonce and no key, orders anew when it hears nothing, and accepts any message, but only once.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { APP_KEY, buildBatch, CREDENTIALS, ROOT, TOKENS } from './demo-batch.ts';

const ATTEMPTS = 4;

async function askToken(): Promise<string> {
  for (;;) {
    try {
      const response = await fetch(TOKENS, { method: 'POST', body: CREDENTIALS });
      if (response.ok) return ((await response.json()) as { access_token: string }).access_token;
    } catch {
      // Again.
    }
  }
}

let calls = 0;

/** Calls, and repeats at once until an answer says success. `change` makes another body when there was no answer. */
async function call(path: string, query: Record<string, string>, body?: object, change = (sent: object) => sent) {
  calls += 1;
  const headers = { authorization: `Bearer ${await askToken()}`, 'content-type': 'application/json' };
  const search = new URLSearchParams({ ...query, appKey: APP_KEY, g_nonce: `nonce-${calls}-naive` });
  for (let [attempt, sent] = [1, body]; attempt <= ATTEMPTS; attempt += 1) {
    try {
      const request = sent === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(sent) };
      const response = await fetch(`${ROOT}${path}?${search}`, request);
      const answer = await response.text();
      if (answer.includes('"code":0')) return JSON.parse(answer).data;
      // It knows nonces as a cause of refusals, not as a rule.
      if (answer.startsWith('{')) search.set('g_nonce', `nonce-${calls}-naive-${attempt}`);
    } catch {
      if (sent !== undefined) sent = change(sent);
      search.set('g_nonce', `nonce-${calls}-naive-${attempt}`);
    }
  }
}

const handled = new Set<unknown>();
const { promise: repeated, resolve } = Promise.withResolvers<void>();
const server = createServer(async (request, response) => {
  await buffer(request);
  const isRepeated = handled.has(request.headers['webhook-id']);
  response.writeHead(isRepeated ? 409 : 200).end();
  handled.add(request.headers['webhook-id']);
  if (isRepeated) resolve();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const submit = (id: string, change?: (sent: object) => object) =>
  call('/licenseOrder/batchOrder', {}, buildBatch(id, 'async', `81${String(calls).padStart(8, '0')}`), change);
await submit('FAILED-1');
// It looks for news from now on, each time anew.
for (let lastId: unknown = null; lastId === null; ) {
  lastId = (await call('/events', { after: 'latest' }))?.lastId ?? null;
}
await call('/webhooks', {}, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
let again = 0;
for (let number = 1; number <= 40; number += 1) {
  again += 1;
  await submit(`NEW-ID-${number}`, (sent) => ({ ...sent, channelOrderId: `NEW-ID-${number}-${again}` }));
  await submit(`NEW-BODY-${number}`, (sent) => ({ ...sent, syncMode: 'sync' }));
  await call('/shellnums', {}, { size: 1 });
}
await submit('REFUSED-1');
for (let poll = 1; poll <= 3; poll += 1) {
  await call('/licenseOrder/batchOrder', { channelCode: 'demo', channelOrderId: 'REFUSED-1' });
}
await repeated;
process.stdout.write('done\n');
server.close();
server.closeAllConnections();
