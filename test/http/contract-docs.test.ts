import { readdir, readFile } from 'node:fs/promises';
import { describeApi } from '@lockstep/api';
import { type Cause, causes, codeOf, EventType, operations, TEST_TYPE, WEBHOOK_MESSAGES } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { request, sendRaw } from '../harness/network/raw-http.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { buildPublishedCheck } from '../harness/processes/published.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** The published description matches the service (rules 1 and 9). */
// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

const { stack, api } = await testStack();
const document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Json;

describe('/', () => {
  it('leads to the console, /docs, /openapi.json and the health', async () => {
    const answer = await fetch(stack.baseUrl);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...(await answer.text()).matchAll(/href="\.(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(links).toEqual(['/console', '/docs', '/openapi.json', '/health/ready']);
    for (const path of links) expect((await fetch(stack.baseUrl + path)).status).toBe(200);
  });

  it('accepts HEAD, and no other method', async () => {
    const answer = await fetch(stack.baseUrl, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await fetch(stack.baseUrl, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('/openapi.json', () => {
  it('is the same as the one written without a service', async () => {
    expect(describeApi(null)).toEqual(document);
  });

  it('names as server the address that it came from, or PUBLIC_URL', async () => {
    expect(document.servers).toMatchObject([{ url: '/' }]);
    const publicUrl = 'https://example.com/lockstep';
    const other = await untilTestsEnd(startAnotherApi(stack, api, { publicUrl }));
    const { servers } = (await (await fetch(`${other.api.baseUrl}/openapi.json`)).json()) as Json;
    expect(servers).toMatchObject([{ url: publicUrl }]);
  });

  it('lists for each operation exactly the answers to requests that do not reach it', async () => {
    const failure = buildPublishedCheck(document, document.components.schemas.Failure);
    for (const { method, path } of Object.values(operations)) {
      const faulty = [
        request(`${method} ${path} HTTP/1.1`, 'Host: b'),
        request(`${method} ${path.replace(/\{\w+\}/, '%zz')} HTTP/1.1`),
        request(`${method} ${path} HTTP/1.1`, 'Expect: tea'),
        request(`${method} ${path}?${'x'.repeat(20_000)} HTTP/1.1`),
      ];
      // Slow requests are in rude-clients.long.test.ts.
      const answered = new Set(['408']);
      for (const text of faulty) {
        const [answer] = await sendRaw(stack.baseUrl, text);
        const { data } = failure.safeParse(JSON.parse(answer!.body));
        if (data !== undefined && answer!.status !== 299) answered.add(String(answer!.status));
      }
      const { responses } = document.paths[path][method.toLowerCase()];
      // The token endpoint also answers 401, in the form of RFC 6749.
      const listed = Object.keys(responses).filter((status) => /^4(?!01)/.test(status));
      expect([path, listed]).toEqual([path, [...answered].sort()]);
    }
  });

  it('describes the message of each type of event and of a test, with an example that its schema accepts', async () => {
    expect(Object.keys(document.webhooks)).toEqual([...EventType.options, TEST_TYPE]);
    for (const [type, schema] of Object.entries(WEBHOOK_MESSAGES)) {
      const { examples, schema: published } = document.webhooks[type].post.requestBody.content['application/json'];
      expect(schema.safeParse(examples.event.value).error).toBeUndefined();
      const check = buildPublishedCheck(document, published, { isClosed: true });
      expect(check.safeParse(examples.event.value).error).toBeUndefined();
    }
  });

  it('names exactly the causes of the table wherever it names causes', () => {
    const { Cause, Failure } = document.components.schemas;
    expect(Cause.enum).toEqual(Object.keys(causes));
    expect(Failure.properties.cause).toMatchObject({ $ref: '#/components/schemas/Cause' });
    const words = JSON.stringify(document.components.schemas).split('"token_missing"').length - 1;
    expect(words).toBe(1);
  });

  it('accepts the orders that the service accepts', async () => {
    const batch = batchOf(
      newBuy(await api.newCustomer(), [newAssetNum()]),
      deleteAsset({ customerId: '1', channelCustomerId: 'c', enterpriseGlobalId: '1' } as never, ['8']),
    );
    const { requestBody } = document.paths[operations.createBatchOrder.path].post;
    const check = buildPublishedCheck(document, requestBody.content['application/json'].schema);
    expect(check.safeParse(batch).error).toBeUndefined();
    expect(check.safeParse({ ...batch, orderList: [] }).success).toBe(false);
    dataOf(await api.submit(batch));
  });
});

describe('the table of causes', () => {
  /** The interface has codes for these causes, but the service never returns them. */
  const NEVER: Cause[] = ['account_ambiguous', 'enterprise_suffix_missing', 'lending_failed'];

  it('has a test that triggers each', async () => {
    const directory = new URL('..', import.meta.url);
    const files = await readdir(directory, { recursive: true });
    const tests = files.filter((file) => file.endsWith('.test.ts') && !file.endsWith('contract-docs.test.ts'));
    const texts = await Promise.all(tests.map((file) => readFile(new URL(file, directory), 'utf8')));
    const text = texts.join('\n');
    expect(Object.keys(causes).filter((cause) => !new RegExp(`[' ]${cause}[':]`).test(text))).toEqual(NEVER);
  });

  it('has well-formed words and messages', () => {
    for (const [cause, { message }] of Object.entries(causes)) {
      expect(cause).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(codeOf(cause as Cause, 'order')).toMatch(/^\d{3,5}$/);
      expect(message).toMatch(/\.$|\{1\}$|^\{0\}/);
    }
  });
});

describe('docs/security.md', () => {
  const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

  it('lists for each risk of the OWASP API Security Top 10 its tests, which exist', async () => {
    const rows = [...(await read('docs/security.md')).matchAll(/^\| API(\d+) .*\|(?<tests>[^|]+)\|$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const { groups } of rows) {
      const files = [...groups!.tests!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!);
      expect(files).not.toEqual([]);
      for (const file of files) expect(await read(file)).toContain("from 'vitest'");
    }
  });

  it('is right that no operation takes an address to call', async () => {
    const description = await (await fetch(`${stack.baseUrl}/openapi.json`)).text();
    expect(description).not.toMatch(/"format":"(uri|url|hostname|ipv4|ipv6)/);
  });
});
