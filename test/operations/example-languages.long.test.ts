import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createDemoCustomers } from '@lockstep/customers';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { read } from '../harness/browser/pages.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { endEverything, startJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** Runs the examples in other languages, each as a process beside a running service, if its language is installed. */
const LANGUAGES = [
  { name: 'Python', command: ['python3', 'examples/python/example.py'] },
  { name: 'Java', command: ['java', '-XX:TieredStopAtLevel=1', 'examples/java/Example.java'] },
].map(({ name, command }) => {
  const isMissing = spawnSync(command[0]!, ['--version']).status !== 0;
  return { command, isMissing, title: name + (isMissing ? ': skipped, because it is not installed' : '') };
});

const { stack, api } = await testStack({ webhookAllowPrivate: true });
await createDemoCustomers(stack.db);
afterAll(() => endEverything());

const credentials = (baseUrl = stack.baseUrl) => {
  const { appKey, appSecret } = api.credentials;
  return { LOCKSTEP_BASE_URL: baseUrl, LOCKSTEP_APP_KEY: appKey, LOCKSTEP_APP_SECRET: appSecret };
};

const newFile = (text: string) => {
  const file = join(inject('directory'), randomUUID());
  writeFileSync(file, text);
  return file;
};

/** What a proxy does with a call, once each in this order: `lose` forwards it, and sends half of the answer. */
type Fault = 'revoke' | 'lose' | 'overload' | 'garble' | 'stray' | 'none';
const BUSY = '{"code":"500","cause":"overloaded","message":"busy"}';
const ANSWERS: Record<string, () => Response> = {
  overload: () => new Response(BUSY, { status: 299, headers: { 'retry-after': '1' } }),
  garble: () => new Response('<html>', { status: 502 }),
  stray: () => new Response('<html>', { status: 404 }),
};

/** Starts a proxy that does this to the first calls to operations. Returns its address and the nonces that it saw. */
async function startProxy(faults: Fault[]) {
  const nonces: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, stack.baseUrl);
    nonces.push(searchParams.get('g_nonce')!);
    const fault = (pathname !== '/oauth2/token' && faults.shift()) || 'none';
    const body = await buffer(request);
    const { authorization, 'content-type': type = '' } = request.headers;
    const answer =
      ANSWERS[fault]?.() ??
      (await fetch(stack.baseUrl + request.url, {
        method: request.method!,
        headers: {
          'content-type': type,
          ...(authorization && { authorization: fault === 'revoke' ? 'Bearer revoked' : authorization }),
        },
        ...(request.method === 'POST' && { body }),
      }));
    const text = await answer.text();
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': text.length });
    if (fault === 'lose') response.write(text.slice(0, 20), () => response.destroy());
    else response.end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, nonces };
}

describe.each(LANGUAGES)('$title', ({ command, isMissing }) => {
  const start = (env: Record<string, string>, ...words: string[]) => startJob([...command, ...words], env);

  it.skipIf(isMissing)('submits a batch of the demo, waits for it, and prints what failed', async () => {
    const DATA_DIR = inject('directory');
    writeFileSync(join(DATA_DIR, 'demo.json'), JSON.stringify({ baseUrl: stack.baseUrl, ...api.credentials }));
    const submit = (example: string) => start({ DATA_DIR }, 'submit', `examples/${example}.json`).ended;
    const stdout = 'DEMO-2026-0001: 2 succeeded, 0 failed\n';
    expect(await submit('first-batch')).toEqual({ status: 0, signal: null, stdout, stderr: '' });
    expect(await submit('mixed-batch')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^order 7: product_not_found: .*\n(order 1[56]: .*\n){2}DEMO-2026-0002: 13 succeeded, 3 failed\n$/,
      ),
    });
    const other = newFile(read('examples/first-batch.json').replace('8100000009', newAssetNum()));
    const refused = await start({ DATA_DIR }, 'submit', other).ended;
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    // A final refusal is not repeated.
    expect(refused.stderr).toMatch(/^channel_order_id_conflict: .*\n$/);
  });

  it.skipIf(isMissing)('repeats a call until it is answered, and nothing takes effect twice', async () => {
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    const proxy = await startProxy(['revoke', 'lose', 'none', 'overload', 'garble']);
    const file = newFile(`\uFEFF${JSON.stringify(batch)}`);
    const { status, stdout, stderr } = await start(credentials(`${proxy.url}/`), 'submit', file).ended;
    const { channelOrderId } = batch;
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${channelOrderId}: 1 succeeded, 0 failed\n` });
    // Of each row of failures, once.
    expect(stderr.match(/retrying/g)).toHaveLength(2);
    expect(stderr.match(/again/g)).toHaveLength(2);
    // Two tokens, three attempts to submit, three to get the result.
    expect(new Set(proxy.nonces).size).toBe(proxy.nonces.length);
    expect(proxy.nonces).toHaveLength(8);
    const { batches } = dataOf(await api.ask('listBatches'));
    const stored = batches.filter((each: { channelOrderId: string }) => each.channelOrderId === channelOrderId);
    expect(stored).toHaveLength(1);
  });

  it.skipIf(isMissing)('says in one line what is wrong', async () => {
    const { url } = await startProxy(['stray']);
    const used = { WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}`, PORT: new URL(url).port };
    const attempts = [
      // Nothing is sent to the demo if a variable is missing.
      [/^LOCKSTEP_BASE_URL, .*\n$/, start({ ...credentials(), LOCKSTEP_APP_SECRET: '' }, 'submit', 'x')],
      [/^HTTP 404: .*<html>.*\n$/, start(credentials(url), 'submit', newFile('[]'))],
      [/^field_invalid: .*\n$/, start({ ...credentials(), WEBHOOK_SECRET: 'x' }, 'submit', newFile('[]'))],
      [/^\S+: .*\/no\/batch\b.*\n$/, start(credentials(), 'submit', '/no/batch')],
      [/^WEBHOOK_SECRET: .*\n$/, start({ WEBHOOK_SECRET: 'whsec_…' }, 'receive')],
      [/^\S+: .*in use\b.*\n$/, start(used, 'receive')],
    ] as const;
    for (const [stderr, { ended }] of attempts) {
      expect(await ended).toEqual({ status: 1, signal: null, stdout: '', stderr: expect.stringMatching(stderr) });
    }
  });

  it.skipIf(isMissing)('follows the feed, and continues where it stopped', async () => {
    const position = newFile('');
    const completed = async () => {
      const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
      await api.process(batch);
      return batch.channelOrderId;
    };
    const first = await completed();
    const before = start(credentials(), 'follow', position);
    const line = await before.line(new RegExp(`^\\d+ batch.completed .*${first}`));
    await expect.poll(() => readFileSync(position, 'utf8')).toBe(line.split(' ')[0]);
    expect(await before.end('SIGINT')).toMatchObject({ status: 130, stderr: '' });
    const after = start(credentials(), 'follow', position);
    const second = await completed();
    await after.line(new RegExp(`^\\d+ batch.completed .*${second}`));
    expect(after.output.stdout).not.toContain(first);
  });

  it.skipIf(isMissing)('accepts only webhooks that were just signed, and handles each once', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { secret } = dataOf(await api.ask('createWebhook', { body: { url } }));
    const oldSecret = `whsec_${Buffer.from('the one before the last rotation').toString('base64')}`;
    const receiver = start({ WEBHOOK_SECRET: `${secret} ${oldSecret}\n`, PORT: String(port) }, 'receive');
    await receiver.line(/^Listening on port/);
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.process(batch);
    const genuine = await receiver.line(new RegExp(`^\\d+ \\{.*${batch.channelOrderId}`));

    const send = async (key: string, id: string, time = new Date(), body = '{}', others = '') => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
        'webhook-signature': others + new Webhook(key).sign(id, time, '{}'),
      };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    const forged = `whsec_${Buffer.from('a secret that nobody has given out').toString('base64')}`;
    expect(await send(forged, 'x1')).toBe(401);
    expect(await send(secret, 'x2', new Date(Date.now() - 301_000))).toBe(401);
    expect(await send(secret, 'x3', new Date(Date.now() + 305_000))).toBe(401);
    expect(await send(secret, 'x4', new Date(), '{ }')).toBe(401);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    for (const key of [secret, oldSecret]) expect(await send(key, '17')).toBe(204);
    expect(await send(oldSecret, '18', new Date(), '{}', 'v1a,AAAA v1,AAAA ')).toBe(204);
    await receiver.line(/^18 /);
    expect(receiver.output.stdout.split('\n').slice(1)).toEqual([genuine, '17 {}', '18 {}', '']);
  });
});
