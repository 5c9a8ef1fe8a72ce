import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { FeedEvent, WebhookDelivery } from '@lockstep/contract';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { endEverything, type Job, startJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** examples/webhook-receiver.mjs as a process, with messages that the library of Standard Webhooks signs. */
const SECRET = `whsec_${Buffer.from('this is the secret of the receiver').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.from('this is the one that it had before').toString('base64')}`;
const BODY = JSON.stringify({ type: 'batch.completed', timestamp: '2026-11-22T09:00:00.000Z', data: { failed: 0 } });

let job: Job;
let port: number;

beforeAll(async () => {
  // Blanks come with what is copied: they must not count as a secret, which would be a key of no bytes.
  const env = { WEBHOOK_SECRET: ` ${SECRET}  ${OLD_SECRET}\n`, PORT: '0' };
  job = startJob([process.execPath, 'examples/webhook-receiver.mjs'], env);
  const line = await job.line(/^Listening on port /);
  port = Number(line.split(' ').at(-1));
});
afterAll(endEverything);

const sign = (secret: string, id: string, time = new Date()) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign(id, time, BODY),
});

/** Signs as anybody can if a receiver takes a secret without content. */
function signWithNoBytes(id: string): string {
  const { 'webhook-timestamp': seconds } = sign(SECRET, id);
  return `v1,${createHmac('sha256', '').update(`${id}.${seconds}.${BODY}`).digest('base64')}`;
}

async function send(headers: Record<string, string>, body = BODY): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
  return status;
}

const handled = () => job.output.stdout.split('\n').slice(1, -1);

describe('the example of a receiver', () => {
  it('takes a message that is signed, and handles it once however often it comes', async () => {
    const before = handled();
    for (const _ of [1, 2]) expect(await send(sign(SECRET, '17'))).toBe(204);
    expect(await send(sign(SECRET, '18'))).toBe(204);
    await job.line(/^18 /);
    expect(handled()).toEqual([...before, `17 ${BODY}`, `18 ${BODY}`]);
  });

  it('takes one that is signed with both secrets, or with one of them only', async () => {
    const other = `whsec_${Buffer.from('a third one').toString('base64')}`;
    expect(await send(sign(OLD_SECRET, '20'))).toBe(204);
    const { 'webhook-signature': newest, ...headers } = sign(other, '21');
    const signatures = `${newest} v1a,AAAA ${sign(OLD_SECRET, '21')['webhook-signature']}`;
    expect(await send({ ...headers, 'webhook-signature': signatures })).toBe(204);
  });

  it.each<[string, Record<string, string>, string?]>([
    ['signed with another secret', sign(`whsec_${Buffer.from('another').toString('base64')}`, '31')],
    ['signed with a key of no bytes', { ...sign(SECRET, '41'), 'webhook-signature': signWithNoBytes('41') }],
    ['of another id', { ...sign(SECRET, '32'), 'webhook-id': '33' }],
    ['of another time', { ...sign(SECRET, '34'), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 9) }],
    ['with another body', sign(SECRET, '35'), BODY.replace('0}', '1}')],
    ['that is too old', sign(SECRET, '36', new Date(Date.now() - 301_000))],
    ['from the future', sign(SECRET, '37', new Date(Date.now() + 305_000))],
    ['without a time', { ...sign(SECRET, '38'), 'webhook-timestamp': '' }],
    ['without a signature', { ...sign(SECRET, '39'), 'webhook-signature': '' }],
    ['without any header', {}],
    [
      'with a signature of another version',
      { ...sign(SECRET, '40'), 'webhook-signature': sign(SECRET, '40')['webhook-signature'].replace('v1,', 'v2,') },
    ],
  ])('refuses one %s', async (_, headers, body) => {
    const before = handled();
    expect(await send(headers, body)).toBe(401);
    expect(handled()).toEqual(before);
  });

  it('refuses what is too large, and outlives who hangs up in the middle', async () => {
    expect(await send(sign(SECRET, '50'), 'x'.repeat(100_001))).toBe(413);
    const rude = connect(port, '127.0.0.1');
    rude.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\nhalf');
    rude.destroySoon();
    await once(rude, 'close');
    expect(await send(sign(SECRET, '51'))).toBe(204);
  });
});

it.each<[string, string | undefined]>([
  ['missing', undefined],
  ['empty', ''],
  ['only blanks', '  '],
  ['the prefix alone', 'whsec_'],
  ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
  ['too short beside a good one', `${SECRET} whsec_AAAA`],
])('the example does not start with a secret that is %s', async (_, secret) => {
  const env = { PORT: '0', ...(secret === undefined ? {} : { WEBHOOK_SECRET: secret }) };
  const options = { env, encoding: 'utf8', timeout: 10_000 } as const;
  const { status, stderr } = spawnSync(process.execPath, ['examples/webhook-receiver.mjs'], options);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^Set WEBHOOK_SECRET .*\n$/) });
});

it('the example handles the end of a batch of a running service once, also when it is sent again', async () => {
  const { api } = await testStack({ webhookAllowPrivate: true });
  const freed = await freePort();
  const { webhookId, secret } = dataOf(
    await api.ask('createWebhook', { body: { url: `http://127.0.0.1:${freed}/hooks` } }),
  );
  const env = { WEBHOOK_SECRET: secret, PORT: String(freed) };
  const receiver = startJob([process.execPath, 'examples/webhook-receiver.mjs'], env);
  await receiver.line(/^Listening/);

  const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.process(batch);
  const line = await receiver.line(new RegExp(batch.channelOrderId));
  const [event] = dataOf(await api.ask('getEvents')).events as FeedEvent[];
  expect(line.startsWith(`${event!.id} {`)).toBe(true);
  expect(JSON.parse(line.slice(event!.id.length))).toMatchObject({ type: 'batch.completed', data: event!.data });

  const delivered = (times: number) =>
    vi.waitFor(async () => {
      const { deliveries } = dataOf(await api.call('GET', `/webhooks/${webhookId}/deliveries`));
      const states = deliveries.map(({ messageId, state }: WebhookDelivery) => [messageId, state]);
      expect(states).toEqual(Array.from({ length: times }, () => [event!.id, 'delivered']));
    }, 15_000);
  // What is on its way is not sent again beside that.
  await delivered(1);
  dataOf(await api.call('POST', `/webhooks/${webhookId}/replay`, { body: {} }));
  await delivered(2);
  expect(receiver.output.stdout.split('\n').slice(1)).toEqual([line, '']);
});
