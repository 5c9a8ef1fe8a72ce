import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AssetDetail, FeedEvent, HistoryEntry, RefusedCall, Webhook, WebhookDelivery } from '@lockstep/contract';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { dataOf } from '../harness/api.ts';
import { startReceiver } from '../harness/network/receiver.ts';
import { batchOfEvent } from '../harness/orders/events.ts';
import { batchOf, merchandise, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import {
  COMMAND,
  environmentOf,
  objectsIn,
  resultOf,
  runLine,
  TIME,
  tableIn,
} from '../harness/processes/command-line.ts';
import { endEverything, startJob } from '../harness/processes/processes.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** The commands for assets, the event feed and webhooks, as processes. */

const { stack, api } = await testStack();
const customer = await api.newCustomer();
const env = environmentOf(api);
afterAll(() => endEverything());

const run = (line: string) => runLine(line, env);
const show = (line: string) => resultOf(run(line));

describe('lockstep asset', async () => {
  const assetNum = newAssetNum();
  await api.carryOut(newBuy(customer, [assetNum], {}, { merchandises: [merchandise()] }));

  it('show shows the contents of an asset', async () => {
    const [people, json] = await Promise.all([
      show(`lockstep asset show ${assetNum}`),
      show(`lockstep asset show ${assetNum} --json`),
    ]);
    expect(people).toMatch(new RegExp(`^asset number +${assetNum}$`, 'm'));
    expect(people).toMatch(new RegExp(`^customer +${customer.customerId}$`, 'm'));
    expect(tableIn(people, 'product or merchandise').map((row) => row['product or merchandise'])).toEqual([
      'gms-100',
      'M-1',
      'gms-100',
    ]);
    expect(people).toMatch(/^M-1 .*\n {2}gms-100 /m);
    expect(objectsIn(json).map((detail) => z.strictObject(AssetDetail.shape).parse(detail))).toMatchObject([
      { assetNum },
    ]);
  });

  it('list lists assets by filters, and customers by name', async () => {
    const [people, json, customers] = await Promise.all([
      show(`lockstep asset list --customer ${customer.customerId} --validity active`),
      show(`lockstep asset list --number ${assetNum} --include products --json`),
      show('lockstep customer list --name custom'),
    ]);
    const row = expect.objectContaining({ 'asset number': assetNum, usable: 'unassigned' });
    expect(tableIn(people, 'asset number')).toContainEqual(row);
    expect(objectsIn(json)).toMatchObject([{ assetNum, products: [{}, {}], merchandiseCount: 1 }]);
    const buyer = { customerId: customer.customerId, contact: 'Admin admin@example.com' };
    expect(tableIn(customers, 'customerId')).toContainEqual(expect.objectContaining(buyer));
    const [none, unknown] = await Promise.all([
      run('lockstep asset list --expires-from 2091-02-30'),
      run('lockstep asset list --license-type usb'),
    ]);
    expect([none.status, unknown.status]).toEqual([64, 2]);
  });

  it('show says why an asset cannot be used', async () => {
    const expiredNum = newAssetNum();
    await api.carryOut(newBuy(customer, [expiredNum], {}, { limitEndDate: Date.UTC(2020, 0) }));
    const people = await show(`lockstep asset show ${expiredNum}`);
    expect(people).toMatch(/^usable now +no$/m);
    expect(people).toMatch(new RegExp(`^because expired +since ${TIME}$`, 'm'));
    expect(tableIn(people, 'product or merchandise')).toMatchObject([{ validity: 'expired' }]);
  });

  it('history lists what happened to it, newest first', async () => {
    await api.ask('lockAssets', { body: { assetNums: [assetNum], operatorIdentity: 'Wang Wei' } });
    const [people, json] = await Promise.all([
      show(`lockstep asset history ${assetNum}`),
      show(`lockstep asset history ${assetNum} --json --all`),
    ]);
    const entries = z.array(z.strictObject(HistoryEntry.shape)).parse(objectsIn(json));
    const shown = tableIn(people, 'time');
    expect(shown).toHaveLength(entries.length);
    expect(shown[0]).toMatchObject({ by: 'Wang Wei', customer: customer.customerId });
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['created', 'product_bought', 'merchandise_bought', 'locked']),
    );
  });
});

/** The line that says how to continue after an event. */
const continuing = (event: FeedEvent | undefined) => new RegExp(`^.*--after ${event?.id}\\b.*\\n$`);

describe('lockstep events', async () => {
  const reader = await stack.newApi();
  const readerEnv = environmentOf(reader);
  /** Sends a batch of one order and waits until it is completed. Returns its channelOrderId. */
  const sendBatch = async () => {
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    await reader.process(batch);
    return batch.channelOrderId;
  };
  const before = [await sendBatch(), await sendBatch(), await sendBatch()];

  it('prints events, oldest first, and how to continue', async () => {
    const { status, stdout, stderr } = await runLine('lockstep events --json', readerEnv);
    const events = z.array(FeedEvent).parse(objectsIn(stdout));
    expect(status).toBe(0);
    expect(events.map((event) => batchOfEvent(event).channelOrderId)).toEqual(before);
    expect(stderr).toMatch(continuing(events[2]));
    const [people, rest, end] = await Promise.all([
      runLine('lockstep events --limit 1', readerEnv),
      runLine(`lockstep events --all --json --after ${events[0]!.id}`, readerEnv),
      runLine(`lockstep events --after ${events[2]!.id}`, readerEnv),
    ]);
    expect(people.stdout).toMatch(
      new RegExp(`^${TIME} {2}${events[0]!.id} {2}batch\\.completed {2}test .*${before[0]}.*\\n$`),
    );
    expect(people.stderr).toMatch(continuing(events[0]));
    expect(objectsIn(rest.stdout)).toEqual(events.slice(1));
    expect(end).toMatchObject({ status: 0, stdout: '', stderr: expect.stringMatching(continuing(events[2])) });
  });

  it('--follow prints new events, and says at Ctrl-C how to continue', async () => {
    const job = startJob([...COMMAND, 'events', '--follow', '--json'], readerEnv);
    await job.line(new RegExp(before[2]!));
    const line = await Promise.all([job.line(/"succeeded":1.*$/), sendBatch().then((id) => job.line(new RegExp(id)))]);
    const { status, stdout, stderr } = await job.end('SIGINT');
    const events = z.array(FeedEvent).parse(objectsIn(stdout));
    expect(events.map((event) => batchOfEvent(event).channelOrderId).slice(0, 3)).toEqual(before);
    expect(JSON.parse(line[1])).toEqual(events[3]);
    expect(status).toBe(130);
    expect(stderr).toMatch(continuing(events[3]));
  });
});

describe('lockstep webhook', () => {
  it('test waits for the answer to a test message, which deliveries shows', async () => {
    const { api: caller } = await testStack({ webhookAllowPrivate: true });
    const receiver = await untilTestsEnd(
      startReceiver((response, _, index) => response.writeHead(index === 1 ? 503 : 204).end()),
    );
    const { webhookId } = dataOf(await caller.ask('createWebhook', { body: { url: receiver.url } }));
    const openEnv = environmentOf(caller);
    const runHere = (words: string) => runLine(`lockstep webhook ${words}`, openEnv);
    const delivered = await resultOf(runHere(`test ${webhookId}`));
    expect(delivered).toMatch(/^.* 204 .*\n$/);
    const refused = await runHere(`test ${webhookId}`);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^lockstep: .*failed.* 503 .*\n$/);
    const [delivery] = objectsIn(await resultOf(runHere(`test ${webhookId} --json`)));
    expect(delivery).toMatchObject({ type: 'webhook.test', state: 'delivered', attempts: [{ status: 204 }] });
    const shown = tableIn(await resultOf(runHere(`deliveries ${webhookId}`)), 'created');
    expect(shown.map(({ state }) => state)).toEqual(['delivered', 'failed', 'delivered']);
    expect(shown[0]).toMatchObject({
      message: delivery.messageId,
      type: 'webhook.test',
      attempts: '1',
      'next attempt': '-',
    });
    const listed = objectsIn(await resultOf(runHere(`deliveries ${webhookId} --json --all`)));
    expect(listed[0]).toEqual(delivery);
    expect(await resultOf(runHere(`resend ${webhookId} ${delivery.deliveryId}`))).toContain(delivery.messageId);
    await receiver.awaitCount(4);
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(delivery.messageId);
  });

  it('changes webhooks: update, pause, resume, replay of a period', async () => {
    const url = 'https://lockstep.example/hooks';
    const [{ webhookId }] = objectsIn(await show(`lockstep webhook create ${url} --types batch.completed --json`));
    const runHere = async (words: string) => objectsIn(await show(`lockstep webhook ${words} --json`))[0];
    const filters = { types: ['batch.completed', 'batch.retried'], channelCodes: ['demo'] };
    expect(
      await runHere(`update ${webhookId} --types batch.completed,batch.retried --channel-codes demo`),
    ).toMatchObject({
      url,
      ...filters,
    });
    const changed = await runHere(`update ${webhookId} --channel-codes all --url ${url}/2`);
    expect(changed).toMatchObject({ url: `${url}/2`, types: filters.types, channelCodes: null });
    expect(await runHere(`pause ${webhookId}`)).toMatchObject({ state: 'paused' });
    expect(await show(`lockstep webhook show ${webhookId}`)).toMatch(/^types +batch.completed, batch.retried$/m);
    expect(await runHere(`resume ${webhookId}`)).toEqual(changed);
    expect(await runHere(`replay ${webhookId} --from 2026-01-01 --to 2026-01-31`)).toEqual(changed);
    await show(`lockstep webhook delete ${webhookId}`);
  });

  it('lists refused calls with their causes, filtered by time, operation and request', async () => {
    const { requestId } = await vi.waitFor(async () => {
      await run('lockstep order show 404');
      const [refusal] = objectsIn(await show('lockstep refusal list --cause order_not_found --json'));
      return RefusedCall.parse(refusal);
    }, 20_000);
    const table = await show(`lockstep refusal list --request-id ${requestId} --operation getOrderResult`);
    expect(tableIn(table, 'refused')).toMatchObject([{ cause: 'order_not_found', code: '13004' }]);
    expect(await run('lockstep refusal list --refused-to 2026-01-01')).toMatchObject({ status: 0, stdout: '' });
    expect(await run('lockstep refusal list --cause wrong')).toMatchObject({ status: 64 });
  });

  const URL_OF_NOBODY = 'https://lockstep.example/hooks';

  it('manages webhooks: create, list, show, rotate-secret, enable, replay, deliveries, delete', async () => {
    const created = await run(`lockstep webhook create ${URL_OF_NOBODY} --description 夜班`);
    expect(created).toMatchObject({ status: 0, stderr: expect.stringMatching(/^.+\n$/) });
    const [, id = '', secret = ''] = /^webhook +(\d+)$.*^secret +(whsec_\S+)$/ms.exec(created.stdout) ?? [];
    const [other] = objectsIn(await show(`lockstep webhook create ${URL_OF_NOBODY} --json`));
    expect(other).toMatchObject({ url: URL_OF_NOBODY, description: null, secret: expect.stringMatching(/^whsec_/) });

    const [list, listed, shown, asJson] = await Promise.all([
      show('lockstep webhook list'),
      show('lockstep webhook list --json'),
      show(`lockstep webhook show ${id}`),
      show(`lockstep webhook show ${id} --json`),
    ]);
    expect(tableIn(list, 'webhook')).toMatchObject([
      { webhook: id, state: 'active', URL: URL_OF_NOBODY, description: '夜班' },
      { webhook: other.webhookId, description: '-' },
    ]);
    expect(z.array(z.strictObject(Webhook.shape)).parse(objectsIn(listed))).toHaveLength(2);
    expect(shown).toMatch(/^state +active$/m);
    expect(`${list}${listed}${shown}${asJson}`).not.toContain('whsec_');

    const rotated = objectsIn(await show(`lockstep webhook rotate-secret ${id} --json`));
    expect(rotated[0].secret).toMatch(/^whsec_/);
    expect(rotated[0].secret).not.toBe(secret);
    const [again, enabled, replayed, deliveries, table] = await Promise.all([
      run(`lockstep webhook rotate-secret ${id}`),
      show(`lockstep webhook enable ${id}`),
      show(`lockstep webhook replay ${id} --after 1 --json`),
      show(`lockstep webhook deliveries ${other.webhookId} --json`),
      run(`lockstep webhook deliveries ${other.webhookId}`),
    ]);
    expect(again.stdout).toMatch(/^secret +whsec_\S+$/m);
    expect(enabled).toMatch(/^state +active$/m);
    expect(objectsIn(replayed)).toMatchObject([{ webhookId: id }]);
    expect(z.array(z.strictObject(WebhookDelivery.shape)).parse(objectsIn(deliveries))).toEqual([]);
    expect(table).toMatchObject({ status: 0, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });

    expect(await show(`lockstep webhook delete ${id}`)).toContain(id);
    expect(objectsIn(await show(`lockstep webhook delete ${other.webhookId} --json`))).toEqual([
      { webhookId: other.webhookId },
    ]);
    expect(await run('lockstep webhook list')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^.+\n$/),
    });
  });
});

describe('an export of a list', async () => {
  /** Sends tokens, and a part of an export. */
  const breaking = createServer(({ url }, answer) => {
    if (url!.startsWith('/oauth2')) {
      answer.end('{"access_token": "token"}');
      return;
    }
    answer.writeHead(200, { 'content-type': 'text/csv' }).write('part\r\n');
    setImmediate(() => answer.socket!.resetAndDestroy());
  });
  await once(breaking.listen(0, '127.0.0.1'), 'listening');
  afterAll(() => breaking.close());

  it('prints what the service sends', async () => {
    await api.carryOut(newBuy(customer, [newAssetNum()]));
    const [ndjson, json, csv] = await Promise.all([
      show('lockstep order list --ndjson'),
      show('lockstep order list --all --json'),
      show('lockstep order list --csv'),
    ]);
    // An application has at most two exports at once.
    const refused = await run(`lockstep asset history ${newAssetNum()} --csv`);
    expect(objectsIn(ndjson)).toEqual(objectsIn(json));
    expect(csv.split('\r\n')).toHaveLength(objectsIn(json).length + 2);
    expect(refused).toMatchObject({ stdout: '', status: 4 });
  });

  it('ends with status 69 if it breaks off', async () => {
    const baseUrl = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`;
    const ended = await runLine('lockstep order list --csv', { ...env, LOCKSTEP_BASE_URL: baseUrl });
    expect(ended).toMatchObject({ status: 69, stdout: 'part\r\n', stderr: expect.stringContaining('incomplete') });
  });
});
