import type { EventPage, FeedEvent } from '@lockstep/contract';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { type Answer, type Received, startReceiver } from '../harness/network/receiver.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { COMMAND, environmentOf, runLine } from '../harness/processes/command-line.ts';
import { endEverything, type Job, startJob } from '../harness/processes/processes.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** `lockstep webhook listen` with real receivers, whose messages the library of Standard Webhooks verifies. */

const { stack, api } = await testStack();
const customer = await api.newCustomer();
const env = environmentOf(api);
afterAll(endEverything);

/** Sends a batch. Returns its event, once the feed has it. */
async function tell(): Promise<FeedEvent> {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
  await api.process(batch);
  return await vi.waitUntil(async () => {
    const { events }: EventPage = dataOf(await api.ask('getEvents'));
    return events.find(({ data }) => 'channelOrderId' in data && data.channelOrderId === batch.channelOrderId);
  });
}

/** Starts the command, and waits until it reads the feed. Returns its secret. */
async function listen(url: string, options: string[] = [], variables = env): Promise<{ job: Job; secret: string }> {
  const job = startJob([...COMMAND, 'webhook', 'listen', '--forward', url, ...options], variables);
  const line = await job.line(/^Sending events to /);
  return { job, secret: line.split(' ').at(-1)! };
}

const start = (port: number, answer?: Answer) => untilTestsEnd(startReceiver(answer, port));
const said = (job: Job, text: string | RegExp) =>
  vi.waitFor(() => expect(job.output.stderr).toMatch(text), { timeout: 30_000 });
const idsOf = (received: readonly Received[]) => received.map(({ message }) => message.id);

it('listen sends each new event signed as a webhook does, with a secret that it prints', async () => {
  await tell();
  const receiver = await start(0);
  const { job, secret } = await listen(receiver.url);
  const events = [await tell(), await tell()];
  const received = await receiver.awaitCount(2);
  for (const [index, event] of events.entries()) {
    const { headers, body, message } = received[index]!;
    expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toEqual(message);
    expect(message).toEqual({ ...event, timestamp: new Date(event.time).toISOString() });
    expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    await job.line(new RegExp(` ${event.id} .*batch\\.completed`));
  }
  await job.line(/^ {2}HTTP 204 after \d+ ms$/);
  expect(await job.end('SIGINT')).toMatchObject({
    status: 130,
    stderr: expect.stringMatching(new RegExp(`--after ${events[1]!.id}\\.`)),
  });
});

describe('listen loses no event, and keeps their order,', () => {
  it('if the receiver is away, or refuses', async () => {
    const port = await freePort();
    const { job, secret } = await listen(`http://127.0.0.1:${port}/hook`);
    const events = [await tell(), await tell()];
    await said(job, 'refused the connection');
    const receiver = await start(port, (response, _, index) =>
      index === 0
        ? response.writeHead(500).end()
        : index === 1
          ? response.writeHead(302, { location: '/elsewhere' }).end()
          : response.writeHead(200).end('x'.repeat(100_000)),
    );
    const received = await receiver.awaitCount(4);
    const [first, second] = events.map(({ id }) => id);
    expect(idsOf(received)).toEqual([first, first, first, second]);
    // Each attempt has its own time.
    for (const { body, headers } of received) new Verifier(secret).verify(body, headers as Record<string, string>);
    await said(job, 'accepts events again');
    expect(job.output.stderr.match(/Retrying/g)).toHaveLength(1);
  });

  it('if the service restarts', async () => {
    const PORT = await freePort();
    const restart = () => startAnotherApi(stack, api, { PORT });
    const receiver = await start(0);
    const before = await restart();
    const { job } = await listen(receiver.url, [], environmentOf(before.api));
    const events = [await tell()];
    await receiver.awaitCount(1);
    await before.close();
    await said(job, 'Retrying');
    events.push(await tell());
    await untilTestsEnd(restart());
    await receiver.awaitCount(2);
    expect(idsOf(receiver.received)).toEqual(events.map(({ id }) => id));
  });

  it('if it is stopped: it names the last event that was accepted', async () => {
    const port = await freePort();
    const { job } = await listen(`http://127.0.0.1:${port}/hook`);
    const event = await tell();
    await said(job, 'Retrying');
    const { stderr } = await job.end('SIGINT');
    const [, after] = /--after (\d+)\./.exec(stderr)!;
    expect(BigInt(after!)).toBeLessThan(BigInt(event.id));
    const receiver = await start(port);
    const secret = `whsec_${Buffer.from('this is the secret of the receiver').toString('base64')}`;
    const again = await listen(receiver.url, ['--after', after!], { ...env, LOCKSTEP_WEBHOOK_SECRET: secret });
    const [{ body, headers }] = (await receiver.awaitCount(1)) as [Received];
    expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({ id: event.id });
    expect(again.job.output.stdout).not.toContain('whsec_');
  });
});

it.each(['', 'whsec_', 'whsec_AAAA', `whsec_${'A'.repeat(43)}`, Buffer.alloc(32).toString('base64')])(
  'listen refuses the secret "%s" without repeating it',
  async (secret) => {
    const ended = await runLine(`lockstep webhook listen --forward http://127.0.0.1:1 --secret=${secret}`, env);
    expect(ended).toMatchObject({ status: 64, stdout: '' });
    expect(ended.stderr).toMatch(/^lockstep: --secret .*\n$/);
    if (secret.length > 6) expect(ended.stderr).not.toContain(secret);
  },
);
