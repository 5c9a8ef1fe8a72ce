import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDemoCustomers } from '@lockstep/customers';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { read } from '../harness/browser/pages.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { endEverything, type Job, startJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** Runs the examples for integrators, each as a process beside a running service with the demo customers. */
const { stack, api } = await testStack({ webhookAllowPrivate: true });
await createDemoCustomers(stack.db);
afterAll(() => endEverything());

const startWith = (env: Record<string, string>, example: string, ...words: string[]): Job =>
  startJob([process.execPath, `examples/${example}.ts`, ...words], env);

const credentials = () => {
  const { appKey, appSecret } = api.credentials;
  return { LOCKSTEP_BASE_URL: stack.baseUrl, LOCKSTEP_APP_KEY: appKey, LOCKSTEP_APP_SECRET: appSecret };
};

const start = (example: string, ...words: string[]) => startWith(credentials(), example, ...words);

const run = (example: string, ...words: string[]) => start(example, ...words).ended;

/** Writes a changed copy of an example's batch into a file of this run, and returns its path. */
function changed(example: string, change: (text: string) => string): string {
  const file = join(inject('directory'), `${randomUUID()}-${example}`);
  writeFileSync(file, change(read(`examples/${example}`)));
  return file;
}

describe('an example', () => {
  it('submits a batch, waits for it and says what failed', async () => {
    expect(await run('submit-and-wait', 'examples/first-batch.json')).toMatchObject({
      status: 0,
      stdout: 'DEMO-2026-0001: 2 succeeded, 0 failed\n',
    });
    const { status, stdout } = await run('submit-and-wait', 'examples/mixed-batch.json');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^DEMO-2026-0002: 13 succeeded, 3 failed\norder 7: product_not_found: .*(\norder 1[56]: .*){2}\n$/,
    );
  });

  it('previews a revocation, names the nearest product, and revokes it when corrected', async () => {
    const wrong = await run('preview-and-revoke', 'examples/wrong-revocation.json');
    expect(wrong).toMatchObject({ status: 1 });
    expect(wrong.stdout).toMatch(/^order 1 would fail: .*\nnearest: gms-survey on .* limitConcurrent\n$/);
    const right = changed('wrong-revocation.json', (text) =>
      text.replace('"limitConcurrent": 2', '"limitConcurrent": 1'),
    );
    const { status, stdout } = await run('preview-and-revoke', right);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^revokes gms-survey \d+ on asset 8100000001\nrevoked\n$/);
  });

  it('applies a whole batch or nothing, and answers a resubmission alike', async () => {
    const batch = changed('first-batch.json', (text) =>
      text.replace('2026-0001', '2026-0009').replace('8100000009', '8100000019'),
    );
    const first = await run('sync', batch);
    expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^(order [12] took effect as \d+\n){2}$/) });
    expect(await run('sync', batch)).toEqual(first);
    const refused = await run(
      'sync',
      changed('wrong-revocation.json', (text) => text.replace('2026-0003', '2026-0008')),
    );
    expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining('1 of 1 orders failed') });
  });

  describe('without all three variables', () => {
    const DATA_DIR = mkdtempSync(join(inject('directory'), 'demo-'));
    writeFileSync(join(DATA_DIR, 'demo.json'), JSON.stringify({ baseUrl: stack.baseUrl, ...api.credentials }));

    it('uses the demo', async () => {
      const none = { LOCKSTEP_BASE_URL: '', LOCKSTEP_APP_KEY: '', LOCKSTEP_APP_SECRET: '' };
      const { ended } = startWith({ ...none, DATA_DIR }, 'submit-and-wait', 'examples/first-batch.json');
      expect(await ended).toMatchObject({ status: 0, stdout: 'DEMO-2026-0001: 2 succeeded, 0 failed\n' });
    });

    it.each(['LOCKSTEP_BASE_URL', 'LOCKSTEP_APP_KEY', 'LOCKSTEP_APP_SECRET'])(
      "sends nothing to the demo's address if only %s is missing",
      async (missing) => {
        const env = { ...credentials(), [missing]: '', DATA_DIR };
        const { status, stdout, stderr } = await startWith(env, 'sync', 'examples/first-batch.json').ended;
        expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
        expect(stderr).toMatch(/^Set LOCKSTEP_BASE_URL, .*\n$/);
      },
    );

    it('names the file of a demo that there is not', async () => {
      const env = { ...credentials(), LOCKSTEP_BASE_URL: '', LOCKSTEP_APP_KEY: '', LOCKSTEP_APP_SECRET: '' };
      const none = join(DATA_DIR, 'none');
      const { status, stderr } = await startWith({ ...env, DATA_DIR: none }, 'sync', 'examples/first-batch.json').ended;
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`${none}/demo.json`) });
    });
  });

  it('follows the feed, and continues where it stopped', async () => {
    const file = join(inject('directory'), 'last-id.txt');
    const before = start('follow-the-feed', file);
    const line = await before.line(/DEMO-2026-0002: 13 succeeded, 3 failed$/);
    const readPosition = () => Number(readFileSync(file, 'utf8'));
    await expect.poll(readPosition).toBeGreaterThanOrEqual(Number.parseInt(line, 10));
    await before.end('SIGTERM');
    // It may end between an event and its position.
    const seen = before.output.stdout.split('\n').filter((each) => Number.parseInt(each, 10) <= readPosition());
    expect(seen).toContain(line);

    const after = start('follow-the-feed', file);
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.process(batch);
    await after.line(new RegExp(`${batch.channelOrderId}: 1 succeeded`));
    expect(seen.filter((line) => after.output.stdout.includes(line))).toEqual([]);
  });
});

it('an example accepts only webhooks that the service has signed', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { secret } = dataOf(await api.ask('createWebhook', { body: { url } }));
  const variables = { WEBHOOK_SECRET: secret, PORT: String(port) };
  const job = startJob([process.execPath, 'examples/verify-a-webhook.ts'], variables);
  await job.line(/^Listening/);
  const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.process(batch);
  await job.line(new RegExp(`^\\d+ \\{.*${batch.channelOrderId}`));
  const headers = {
    'webhook-id': '7',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': 'v1,AAAA',
  };
  expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(401);
});
