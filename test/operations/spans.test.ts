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

/** A field of a protobuf message: a number, or bytes that are a text or a message. */
class Field {
  readonly value: Buffer | bigint;
  constructor(value: Buffer | bigint) {
    this.value = value;
  }
  get hex(): string {
    return (this.value as Buffer).toString('hex');
  }
  get fixed(): bigint {
    return (this.value as Buffer).readBigUInt64LE();
  }
  /** The fields of the message with a number. */
  all(number: number): Field[] {
    const bytes = this.value as Buffer;
    const found: Field[] = [];
    let at = 0;
    const varint = () => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++]!;
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = Number(varint());
      const type = tag & 7;
      const size = type === 0 ? 0 : type === 1 ? 8 : type === 5 ? 4 : Number(varint());
      const value = type === 0 ? varint() : bytes.subarray(at, at + size);
      at += size;
      if (tag >> 3 === number) found.push(new Field(value));
    }
    return found;
  }
}

/** Reads spans as OTLP sends them: https://opentelemetry.io/docs/specs/otlp */
const readSpans = (request: Buffer) =>
  new Field(request).all(1).flatMap((resource) => {
    const ofResource = attributesOf(resource.all(1)[0]!, 1);
    return resource.all(2).flatMap((scope) =>
      scope.all(2).map((span) => ({
        service: ofResource['service.name'],
        name: String(span.all(5)[0]!.value),
        traceId: span.all(1)[0]!.hex,
        id: span.all(2)[0]!.hex,
        parent: span.all(4)[0]?.hex,
        kind: Number(span.all(6)[0]!.value),
        lasts: span.all(8)[0]!.fixed >= span.all(7)[0]!.fixed,
        attributes: attributesOf(span, 9),
        links: span.all(13).map((link) => `${link.all(1)[0]!.hex}-${link.all(2)[0]!.hex}`),
        isError: span.all(15)[0]?.all(3)[0]?.value === 2n,
      })),
    );
  });

const attributesOf = (message: Field, number: number): Record<string, string> =>
  Object.fromEntries(
    message.all(number).map((pair) => {
      const [value] = pair.all(2);
      return [String(pair.all(1)[0]!.value), String((value!.all(1)[0] ?? value!.all(3)[0])?.value)];
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
  const env = { ...collector.env, WEBHOOK_ALLOW_PRIVATE: 'true', OTEL_SERVICE_NAME: 'licenses' };
  const { api, processes } = await testDeployment({ env });
  const receiver = await untilTestsEnd(startReceiver());

  it('a batch is traced from its call to its webhook', async () => {
    dataOf(await newWebhook(api, receiver));
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    dataOf(await api.submit(batch, given(`00-${TRACE}-${CALLER}-01`)));
    const [message] = await receiver.awaitCount(1);
    await api.ask('getBatchResult', { query: { channelCode: 'test', channelOrderId: 'unknown' } });
    await Promise.all(processes.map((each) => each.stop()));

    const { spans } = collector;
    const named = (name: string) => spans.find((span) => span.name === name)!;
    const call = named('createBatchOrder');
    expect(call).toMatchObject({ traceId: TRACE, parent: CALLER, kind: 2, service: 'licenses', lasts: true });
    expect(call.attributes).toMatchObject({ 'http.response.status_code': '200', 'lockstep.code': '0' });
    expect(named('accept')).toMatchObject({ traceId: TRACE, parent: call.id, lasts: true });
    const drain = named('drain');
    expect(drain).toMatchObject({ links: [`${TRACE}-${call.id}`], parent: undefined, lasts: true });
    expect(named('apply')).toMatchObject({ traceId: drain.traceId, parent: drain.id, lasts: true });
    const delivery = named('delivery');
    expect(delivery).toMatchObject({ traceId: TRACE, parent: call.id, kind: 3, isError: false, lasts: true });
    expect(message!.headers.traceparent).toBe(`00-${TRACE}-${delivery.id}-01`);

    const refused = named('getBatchResult');
    expect(refused.attributes).toMatchObject({ 'lockstep.code': '13004', 'lockstep.cause': 'batch_not_found' });
    expect(refused.isError).toBe(false);
    expect(processes[0]!.linesWith(TRACE)).toHaveLength(1);
    const secret = [api.token, api.credentials.appSecret, 'g_nonce', batch.channelOrderId];
    expect(secret.filter((text) => JSON.stringify(spans).includes(text))).toEqual([]);
  });
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
