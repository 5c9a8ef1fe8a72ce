import { once } from 'node:events';
import { globSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { read } from '../harness/browser/pages.ts';
import { type Receiver, startReceiver } from '../harness/network/receiver.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Spans, and the trace context that is stored with batches and sent to webhooks (rules 1.4). */

/** A field of a protobuf message: its number, and a number or bytes, which may be a text or a message. */
type Field = { number: number; value: bigint; bytes: Buffer };

/** Returns the fields of a message with a number. */
function fields({ bytes }: Pick<Field, 'bytes'>, number: number): Field[] {
  const found: Field[] = [];
  let at = 0;
  const readNumber = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(readNumber());
    const type = tag & 7;
    const value = type === 1 || type === 5 ? 0n : readNumber();
    const size = type === 0 ? 0 : type === 2 ? Number(value) : type === 1 ? 8 : 4;
    found.push({ number: tag >> 3, value, bytes: bytes.subarray(at, at + size) });
    at += size;
  }
  return found.filter((field) => field.number === number);
}

/** Reads spans as OTLP sends them: https://opentelemetry.io/docs/specs/otlp */
const readSpans = (bytes: Buffer) =>
  fields({ bytes }, 1).flatMap((resource) => {
    const { 'service.name': service } = readAttributes(fields(resource, 1)[0]!, 1);
    return fields(resource, 2).flatMap((scope) => fields(scope, 2).map((span) => ({ service, ...readSpan(span) })));
  });

const hex = (field: Field | undefined) => field?.bytes.toString('hex');
const readSpan = (span: Field) => ({
  name: String(fields(span, 5)[0]!.bytes),
  traceId: hex(fields(span, 1)[0]),
  id: hex(fields(span, 2)[0]),
  parent: hex(fields(span, 4)[0]),
  kind: Number(fields(span, 6)[0]!.value),
  lasts: fields(span, 8)[0]!.bytes.readBigUInt64LE() >= fields(span, 7)[0]!.bytes.readBigUInt64LE(),
  attributes: readAttributes(span, 9),
  links: fields(span, 13).map((link) => `${hex(fields(link, 1)[0])}-${hex(fields(link, 2)[0])}`),
  isError: fields(span, 15).some((status) => fields(status, 3)[0]?.value === 2n),
});

/** Reads attributes that are texts or whole numbers. */
const readAttributes = (message: Field, number: number): Record<string, string> =>
  Object.fromEntries(
    fields(message, number).map((pair) => {
      const [value] = fields(pair, 2);
      const [text] = fields(value!, 1);
      return [String(fields(pair, 1)[0]!.bytes), String(text?.bytes ?? fields(value!, 3)[0]?.value)];
    }),
  );

/** Starts a collector. `answers`: whether it ever does. */
async function startCollector({ answers = true } = {}) {
  const spans: ReturnType<typeof readSpans> = [];
  const server = createServer(async (request, response) => {
    spans.push(...readSpans(await buffer(request)));
    if (answers) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    spans,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const given = (traceparent: string) => ({ headers: { traceparent } });
const newWebhook = (api: Api, { url }: Receiver) => api.call('POST', '/webhooks', { body: { url } });

describe('with a collector', async () => {
  const collector = await untilTestsEnd(startCollector());
  // Only what a caller asks to be recorded is, and what follows from it.
  const only = { OTEL_TRACES_SAMPLER: 'parentbased_always_off', OTEL_SERVICE_NAME: 'licenses' };
  const env = { ...collector.env, ...only, WEBHOOK_ALLOW_PRIVATE: 'true' };
  const { api, processes } = await testDeployment({ env });
  const receiver = await untilTestsEnd(startReceiver());

  it('a batch is traced from its call to its webhook', async () => {
    dataOf(await newWebhook(api, receiver));
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    const recorded = given(`00-${TRACE}-${CALLER}-01`);
    dataOf(await api.submit(batch, recorded));
    const [message] = await receiver.awaitCount(1);
    await api.ask('getBatchResult', { query: { channelCode: 'test', channelOrderId: 'unknown' }, ...recorded });
    await Promise.all(processes.map((each) => each.stop()));

    const { spans } = collector;
    const names = ['accept', 'apply', 'createBatchOrder', 'delivery', 'drain', 'getBatchResult'];
    expect(spans.map(({ name }) => name).sort()).toEqual(names);
    const named = (name: string) => spans.find((span) => span.name === name)!;
    const call = named('createBatchOrder');
    expect(call).toMatchObject({ traceId: TRACE, parent: CALLER, kind: 2, service: 'licenses', lasts: true });
    expect(call.attributes).toMatchObject({ 'http.response.status_code': '200', 'lockstep.code': '0' });
    expect(named('accept')).toMatchObject({ traceId: TRACE, parent: call.id, lasts: true });
    const drain = named('drain');
    expect(drain).toMatchObject({ traceId: TRACE, links: [`${TRACE}-${call.id}`], parent: call.id, lasts: true });
    expect(named('apply')).toMatchObject({ traceId: TRACE, parent: drain.id, lasts: true });
    const delivery = named('delivery');
    expect(delivery).toMatchObject({ traceId: TRACE, parent: call.id, kind: 3, isError: false, lasts: true });
    expect(message!.headers.traceparent).toBe(`00-${TRACE}-${delivery.id}-01`);

    const refused = named('getBatchResult');
    expect(refused.attributes).toMatchObject({ 'lockstep.code': '13004', 'lockstep.cause': 'batch_not_found' });
    expect(refused.isError).toBe(false);
    expect(processes[0]!.linesWith(TRACE)).toHaveLength(2);
    const secret = [api.token, api.credentials.appSecret, 'g_nonce', batch.channelOrderId];
    expect(secret.filter((text) => JSON.stringify(spans).includes(text))).toEqual([]);
  });
});

it('what a caller does not record leads to no span, whatever the sampler', async () => {
  const collector = await untilTestsEnd(startCollector());
  const { api, processes } = await testDeployment({ env: collector.env });
  const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  dataOf(await api.submit(batch, given(`00-${TRACE}-${CALLER}-00`)));
  await api.completed(batch);
  await Promise.all(processes.map((each) => each.stop()));
  const names = new Set(collector.spans.map(({ name }) => name));
  expect(names).toEqual(new Set(['bindCustomer', 'getBatchResult', 'issueToken']));
});

it('a collector that never answers delays no stop, and a disabled SDK sends nothing', async () => {
  const silent = await untilTestsEnd(startCollector({ answers: false }));
  const unused = await untilTestsEnd(startCollector());
  const slow = { ...silent.env, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' };
  const deployments = await Promise.all([
    testDeployment({ workers: 0, env: slow }),
    testDeployment({ workers: 0, env: { ...unused.env, OTEL_SDK_DISABLED: 'true' } }),
  ]);
  for (const { api, processes } of deployments) {
    await api.newCustomer();
    expect(await processes[0]!.stop()).toBe(0);
  }
  expect(silent.spans.map(({ name }) => name)).toContain('bindCustomer');
  expect(unused.spans).toEqual([]);
});

describe('without a collector', async () => {
  const { stack, api } = await testStack({ webhookAllowPrivate: true });
  const customer = await api.newCustomer();
  const send = async (traceparent: string) => {
    const batch = syncOf(newBuy(customer, [newAssetNum()]));
    dataOf(await api.submit(batch, given(traceparent)));
    return batch.channelOrderId;
  };
  const readStored = async (channelOrderId: string) => {
    const batches = stack.db.selectFrom('batch').leftJoin('batch_trace', 'batch_id', 'id').select('traceparent');
    return (await batches.where('channel_order_id', '=', channelOrderId).executeTakeFirst())?.traceparent;
  };

  it.each([
    ['01', `00-${TRACE}-${CALLER}-00`, `00-${TRACE}-${CALLER}-00`],
    ['a later version', `cc-${TRACE}-${CALLER}-03-more`, `00-${TRACE}-${CALLER}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${CALLER}-01`, null],
    ['no trace', `00-${'0'.repeat(32)}-${CALLER}-01`, null],
    ['no span', `00-${TRACE}-${'0'.repeat(16)}-01`, null],
    ['version ff', `ff-${TRACE}-${CALLER}-01`, null],
    ['more of version 00', `00-${TRACE}-${CALLER}-01-more`, null],
    ['another length', `00-${TRACE}0-${CALLER}-01`, null],
    ['two', `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`, null],
  ])('of a traceparent with %s, the batch has the right part', async (_, sent, stored) => {
    expect(await readStored(await send(sent))).toBe(stored);
  });

  it("the caller's trace context goes to its webhooks", async () => {
    const receiver = await untilTestsEnd(startReceiver());
    dataOf(await newWebhook(api, receiver));
    const sent = await send(`00-${TRACE}-${CALLER}-01`);
    // Events of earlier batches may be numbered only now.
    const ofBatch = () => receiver.received.find(({ message }) => message.data.channelOrderId === sent);
    await expect.poll(() => ofBatch()?.headers.traceparent).toBe(`00-${TRACE}-${CALLER}-01`);
    expect(stack.logLines.filter((line) => line.includes('traceId'))).toEqual([]);
  });
});

it('packages import nothing of OpenTelemetry at start but its API', () => {
  const sources = globSync('{packages,apps}/*/src/**/*.ts', { cwd: REPOSITORY }).map(read);
  const imported = sources.flatMap(
    (text) => text.match(/^(?:import (?!type)|export |\}).*@opentelemetry\/[\w-]+/gm) ?? [],
  );
  expect(new Set(imported.map((line) => line.split("'")[1]))).toEqual(new Set(['@opentelemetry/api']));
});
