import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type OrderPage, operations as routes } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf, readPages } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { type Stack, startStack, testStack } from '../harness/stack.ts';

/** Exports (rules 1.1): formats, pages, limits, and transfers that break. */

const { stack, api } = await testStack({ worker: false });
const channelCode = '=HYPERLINK("http://x.example","a")';
const nobody = { customerId: '9007199254740993123', channelCustomerId: '=1+1', enterpriseGlobalId: '1' };
const ORDERS = 450;
await api.accept({ ...batchOf(...Array.from({ length: ORDERS }, () => newBuy(nobody, [newAssetNum()]))), channelCode });

type Query = Record<string, string>;
const urlOf = (path: string, query: Query) =>
  `${stack.baseUrl}${path}?${new URLSearchParams({ ...query, g_nonce: randomUUID() })}`;
const fetchList = (accept: string, query: Query = {}, path: string = routes.listOrders.path, of: Api = api) =>
  fetch(urlOf(path, query), { headers: { authorization: `Bearer ${of.token}`, accept } });
const readList = async (...call: Parameters<typeof fetchList>) => {
  const answer = await fetchList(...call);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, text: bytes.toString('utf8') };
};
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const pages: OrderPage[] = await readPages(async (cursor) =>
  dataOf(await api.ask('listOrders', { query: { limit: '200', cursor } })),
);
const orders = pages.flatMap((page) => page.orders);

describe('an export', () => {
  it('has all pages, in NDJSON as in JSON', async () => {
    const { headers, text } = await readList('application/x-ndjson', { limit: '1', cursor: '' });
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="orders.ndjson"');
    expect(orders).toHaveLength(ORDERS);
    expect(linesOf(text)).toEqual(orders);
  });

  it('starts at a cursor', async () => {
    const { text } = await readList('application/x-ndjson', { cursor: pages[0]!.nextCursor! });
    expect(linesOf(text)).toEqual(orders.slice(200));
  });

  it('has columns for fields, ISO times, and texts that a spreadsheet keeps', async () => {
    const { headers, text } = await readList('text/csv');
    expect(headers.get('content-disposition')).toBe('attachment; filename="orders.csv"');
    expect(text).toMatch(/^\uFEFFsequence,licenseOrderId,/);
    const [heading, first] = text.split('\r\n');
    expect(text.split('\r\n')).toHaveLength(1 + ORDERS + 1);
    for (const name of ['code', 'cause', 'message', 'finishedTime', 'finishedTimeIso', 'acceptedTimeIso']) {
      expect(heading!.split(',')).toContain(name);
    }
    const order = orders[0]!;
    expect(first).toContain(`"'=HYPERLINK(""http://x.example"",""a"")"`);
    expect(first).toContain(new Date(order.acceptedTime).toISOString());
    expect(first).toContain(`${order.acceptedTime},`);
  });

  it('has its heading without entries', async () => {
    const { text } = await readList('text/csv', { channelCode: 'none' });
    const full = await readList('text/csv');
    expect(text).toBe(full.text.slice(0, full.text.indexOf('\r\n') + 2));
    expect((await readList('application/x-ndjson', { channelCode: 'none' })).text).toBe('');
  });

  it('goes to the present end of the events, without waiting', async () => {
    const { text } = await readList('application/x-ndjson', { waitSeconds: '30' }, routes.getEvents.path);
    expect(linesOf(text)).toEqual(dataOf(await api.ask('getEvents')).events);
  });

  it.each([
    ['text/csv;q=0.5, application/json;q=0.4', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['*/*', 'application/json'],
    ['application/pdf', 'application/json'],
    ['text/csv;q=0', 'application/json'],
    ['a broken, header;;', 'application/json'],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const { headers } = await readList(accept, { channelCode: 'none' });
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  });

  it('is refused like any call until its first page is read', async () => {
    const { status, headers, text } = await readList('text/csv', { cursor: 'unknown' });
    expect({ status, cause: JSON.parse(text).cause }).toEqual({ status: 299, cause: 'field_invalid' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toBeNull();
  });
});

/** Gives an application more customers than sockets buffer. */
async function addCustomers(to: Stack): Promise<Api> {
  const of = await to.newApi();
  const { enterpriseGlobalId } = await of.newCustomer();
  await sql`insert into customer (enterprise_id, channel_code, channel_customer_id, name, branch_name, address, is_default)
    select ${enterpriseGlobalId}, 'test', 'many ' || number, 'Customer', 'Branch', repeat('a', 500), false
    from generate_series(1, 30000) as number`.execute(to.db);
  return of;
}

/** Opens an export on a raw connection, and stops reading after the first bytes. */
async function openExport(of: Api, version = '1.1') {
  const { port } = new URL(of.baseUrl);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  const target = `${routes.listCustomers.path}?g_nonce=${randomUUID()}`;
  const head = ['host: x', `authorization: Bearer ${of.token}`, 'accept: application/x-ndjson'];
  socket.write(`GET ${target} HTTP/${version}\r\n${head.join('\r\n')}\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { socket, isRefused: !bytes.toString('latin1').startsWith(`HTTP/1.1 200 `) };
}

/** Reads what an export still sends. Returns the error code of the connection, and the last bytes. */
async function readRest(socket: Socket) {
  const ended = Promise.withResolvers<string | undefined>();
  let last = '';
  socket
    .on('error', (error: NodeJS.ErrnoException) => ended.resolve(error.code))
    .on('close', () => ended.resolve(undefined))
    .on('data', (bytes: Buffer) => {
      last = bytes.subarray(-10).toString('latin1');
    })
    .resume();
  return { code: await ended.promise, last };
}

describe('a transfer', async () => {
  const many = await addCustomers(stack);

  it.each(['1.1', '1.0'])('is reset if a later page fails, with HTTP/%s', async (version) => {
    const { socket } = await openExport(many, version);
    await sql`alter table customer rename to gone`.execute(stack.db);
    const { code, last } = await readRest(socket);
    await sql`alter table gone rename to customer`.execute(stack.db);
    expect({ code, isWhole: last.endsWith('0\r\n\r\n') }).toEqual({ code: 'ECONNRESET', isWhole: false });
    expect(stack.logLines.join('')).toContain('export incomplete; connection reset');
  });

  it('is limited to two for an application and four for a process, until a client leaves', async () => {
    const other = await stack.newApi();
    const opened = [];
    for (const of of [many, many, other, other]) opened.push(await openExport(of));
    expect(opened.map(({ isRefused }) => isRefused)).toEqual([false, false, false, false]);
    expect((await openExport(await stack.newApi())).isRefused).toBe(true);
    opened[0]!.socket.destroy();
    while ((await openExport(await stack.newApi())).isRefused);
    opened[2]!.socket.destroy();
    expect((await openExport(many)).isRefused).toBe(false);
    expect((await openExport(many)).isRefused).toBe(true);
    const refused = await readList('text/csv', {}, routes.listOrders.path, many);
    expect({ status: refused.status, cause: JSON.parse(refused.text).cause }).toEqual({
      status: 299,
      cause: 'overloaded',
    });
  });

  it('is reset when the process stops, which does not wait for it', async () => {
    const stopped = await startStack({ worker: false });
    const { socket } = await openExport(await addCustomers(stopped));
    const closing = stopped.close();
    expect((await readRest(socket)).code).toBe('ECONNRESET');
    await closing;
  });
});
