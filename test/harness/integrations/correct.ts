// An integration with our own client, which `lockstep certify` must pass. It ends when it has learned all outcomes, and
// its webhook has refused the messages that it must refuse.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Lockstep, LockstepError } from '@lockstep/client';
import { verify } from '@lockstep/client/webhooks';
import { buildBatch } from './demo-batch.ts';

const { LOCKSTEP_BASE_URL = '', LOCKSTEP_APP_KEY = '', LOCKSTEP_APP_SECRET = '' } = process.env;
const lockstep = new Lockstep({ baseUrl: LOCKSTEP_BASE_URL, appKey: LOCKSTEP_APP_KEY, appSecret: LOCKSTEP_APP_SECRET });

/** Submits a batch. Returns what became of its order. */
async function submit(channelOrderId: string, syncMode: 'sync' | 'async'): Promise<string> {
  const [assetNum = ''] = await lockstep.call('takeAssetNumbers', { body: { size: 1 } });
  const batch = buildBatch(channelOrderId, syncMode, assetNum) as never;
  try {
    const { orders } = await lockstep.orders.submitAndWait(batch);
    return orders[0]!.cause ?? 'succeeded';
  } catch (error) {
    if (error instanceof LockstepError) return error.cause;
    throw error;
  }
}

const ids = new Map<string, number>();
let refused = 0;
const { promise: probed, resolve } = Promise.withResolvers<void>();
const server = createServer(async (request, response) => {
  try {
    const { id } = await verify(await text(request), request.headers, secret);
    ids.set(id, (ids.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  } catch {
    refused += 1;
    response.writeHead(401).end();
  }
  if (refused === 2 && Math.max(...ids.values()) > 1) resolve();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const { secret } = await lockstep.call('createWebhook', { body: { url } });

const outcomes: Record<string, string> = {};
for (let number = 1; number <= 12; number += 1) outcomes[`A-${number}`] = await submit(`A-${number}`, 'async');
for (const word of ['REFUSED', 'FAILED', 'SLOW', 'HELD']) outcomes[word] = await submit(`${word}-1`, 'async');
for (const word of ['REFUSED', 'FAILED', 'UNKNOWN', 'SLOW'])
  outcomes[`${word} sync`] = await submit(`${word}-2`, 'sync');
// Three of the batches are refused.
let stored = Object.keys(outcomes).length - 3;
for await (const _ of lockstep.events()) if (--stored === 0) break;
await probed;
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
server.close();
server.closeAllConnections();
