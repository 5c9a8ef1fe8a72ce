import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildProgram, statusOf } from '@lockstep/cli/testing';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { ConsoleClient } from '../harness/browser/console.ts';
import { failOrders } from '../harness/databases/unchecked.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { COMMAND, environmentOf, tableIn } from '../harness/processes/command-line.ts';
import { endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The messages of commands, run in this process. The long tests run commands as processes. */

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();
afterEach(() => vi.restoreAllMocks());
afterAll(() => endEverything());

/** Runs the command in this process on the database. */
const lockstep = (...words: string[]) => run({ DATABASE_URL: stack.url, DATA_DIR: newDataDir() }, words);
/** Runs a command that calls the API in this process. */
const call = (...words: string[]) => run(environmentOf(api), words);

/** Runs the command. Returns what it prints; an error has it, too. */
async function run(env: NodeJS.ProcessEnv, words: string[]) {
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += text;
      return true;
    });
  }
  // Commands that end on signals must not end this process.
  vi.spyOn(process, 'on').mockReturnValue(process);
  try {
    await buildProgram(env).parseAsync(words, { from: 'user' });
  } catch (error) {
    throw Object.assign(error as Error, printed);
  } finally {
    vi.restoreAllMocks();
  }
  return printed;
}

const accept = async (...orders: Parameters<typeof batchOf>) =>
  (await api.accept(batchOf(...orders))).map(({ licenseOrderId }) => licenseOrderId);

it('order retry names each order that it cannot retry, with the reason', async () => {
  const [succeeded] = await api.accept(syncOf(newBuy(customer, [newAssetNum()])));
  const worker = await stack.startWorker();
  const notFound = batchOf(deleteAsset(customer, [newAssetNum()]));
  const [failed] = await api.process(notFound);
  await worker.close();
  const [good, expired, pending] = await accept(
    newBuy(customer, [newAssetNum()]),
    newBuy(customer, [newAssetNum()]),
    newBuy(customer, [newAssetNum()]),
  );
  await failOrders(stack.db, [good!, expired!]);
  await sql`delete from failed_order where license_order_id = ${expired}`.execute(stack.db);
  const unknown = `${BigInt(pending!) + 1n}`;
  const ids = [unknown, pending!, succeeded!.licenseOrderId, failed!.licenseOrderId, expired!];

  const ended = await lockstep('order', 'retry', good!, ...ids, unknown).catch((error) => error);
  expect(ended).toMatchObject({ kind: 'notFound', message: expect.stringContaining(unknown) });
  expect(JSON.parse(ended.stdout)).toEqual({
    retried: 1,
    notRetried: [
      { licenseOrderId: unknown, reason: 'order_not_found', cause: null },
      { licenseOrderId: pending, reason: 'pending', cause: null },
      { licenseOrderId: succeeded!.licenseOrderId, reason: 'succeeded', cause: null },
      { licenseOrderId: failed!.licenseOrderId, reason: 'failed', cause: 'asset_not_found' },
      { licenseOrderId: expired, reason: 'content_expired', cause: 'internal_error' },
    ],
  });
});

it('order fail changes nothing if one of the orders does not exist', async () => {
  const [id] = await accept(newBuy(customer, [newAssetNum()]));
  const unknown = `${BigInt(id!) + 1n}`;
  await expect(lockstep('order', 'fail', id!, unknown, '--reason', 'ticket 4711')).rejects.toMatchObject({
    kind: 'notFound',
    message: expect.stringContaining(unknown),
  });
  const { stdout } = await lockstep('order', 'fail', id!, '--reason', 'ticket 4711');
  expect(stdout).toBe('{"failed":1}\n');
});

/** Writes a batch to a file. Returns its name. */
function fileOf(batch: unknown): string {
  const file = join(mkdtempSync(join(inject('directory'), 'batch-')), 'batch.json');
  writeFileSync(file, JSON.stringify(batch));
  return file;
}

beforeAll(() => api.accept({ ...syncOf(newBuy(customer, [newAssetNum()])), channelOrderId: 'DONE' }));

it.each<[line: string, status: number, message: RegExp, file?: unknown]>([
  ['batch show test NONE', 4, /batch_not_found/],
  ['batch cancel test NONE', 4, /batch_not_found/],
  ['batch retry test NONE', 4, /batch_not_found/],
  ['batch retry test DONE --file', 64, /batch\.json.*other.*test/, { channelCode: 'other' }],
  ['batch retry test DONE --file', 64, /batch\.json.*channelCode/, []],
  [
    'batch retry test DONE --file',
    2,
    /field_(missing|invalid)/,
    { channelCode: 'test', syncMode: 'async', orderList: 1 },
  ],
  ['batch preview /none.json', 64, /\/none\.json/],
  ['batch preview', 2, /^http.* 13004 \(field_missing\): orderList\[0\]\.assets/, batchOf(newBuy(customer, ['']))],
  ['order show 999', 4, /order_not_found/],
  ['order list --accepted-from 2026-02-01 --accepted-to 2026-01-01', 2, /dates_reversed/],
  ['order list --app-key wrong', 2, /invalid_client/],
  ['order list --base-url http://127.0.0.1:1', 69, /npm start/],
  ['events --follow --app-key wrong', 2, /invalid_client/],
  ['events --follow --base-url shop.example', 64, /--base-url/],
  ['asset show 8-nowhere', 4, /asset_not_found/],
  ['asset history 8-nowhere', 4, /asset_not_found/],
  ['webhook create http://lockstep.example/', 2, /field_invalid.*url/],
  ['webhook create https://127.0.0.1/', 2, /webhook_address_forbidden/],
  ['webhook show 999', 4, /webhook_not_found/],
])('%s ends with status %i and a message of one line', async (line, status, message, file) => {
  const words = [...line.split(' '), ...(file === undefined ? [] : [fileOf(file)])];
  const fault = await call(...words).catch((error) => error);
  expect({ status: statusOf(fault), stdout: fault.stdout }).toEqual({ status, stdout: '' });
  expect(fault.message).toMatch(message);
  expect(fault.message).not.toContain('\n');
});

it('a refusal lists its faults, one per line', async () => {
  const batch = batchOf(newBuy(customer, ['']), newBuy(customer, [newAssetNum()], { customerId: 1 }));
  const refused = call('batch', 'preview', fileOf(batch));
  await expect(refused).rejects.toThrow(/^http.* 13004 \(field_missing\): [^\n]*\n/);
  await expect(refused).rejects.toThrow(
    /\norderList\[0\]\.assets\[0\]\.assetNos\[0\] {2}\S.*\norderList\[1\]\.customerId {13}\S.*$/,
  );
});

it('a command that names no service is a usage error', async () => {
  const message = expect.stringMatching(/demo\.json.*npm start.*--base-url/);
  await expect(lockstep('order', 'list')).rejects.toMatchObject({ kind: 'usage', message });
});

it('batch preview lists ignored fields on standard error', async () => {
  const batch = { ...batchOf(newBuy(customer, [newAssetNum()], { color: 'red' })), 'a\u009b2J': 1 };
  const { stdout, stderr } = await call('batch', 'preview', fileOf(batch));
  expect(tableIn(stdout, 'sequence')).toMatchObject([{ outcome: 'succeeded' }]);
  expect(stderr).toMatch(/^.*:\norderList\[0\]\.color\n\["a\\u009b2J"\]\n$/);
  const json = await call('batch', 'preview', '--json', fileOf(batch));
  expect(JSON.parse(json.stdout)).toMatchObject({ state: 'succeeded' });
  expect(json.stderr).toBe(stderr);
  const plain = await call('batch', 'preview', fileOf(batchOf(newBuy(customer, [newAssetNum()]))));
  expect(plain.stderr).toBe('');
});

/** What a terminal obeys: a title and a bell, a cleared screen by C0 and by C1, reversed text. */
const HOSTILE = '\x1b]0;owned\x07\x1b[2J\x9b2J\u202e';
const EVENT = { id: '1', time: 0, type: HOSTILE, data: { channelCode: HOSTILE, channelOrderId: HOSTILE } };
const TIMES = { acceptedTime: 0, completedTime: 0, estimatedCompletionTime: null };
const BATCH = { channelCode: HOSTILE, channelOrderId: HOSTILE, state: 'completed', total: 1, failed: 1, ...TIMES };
const ORDER = { sequence: HOSTILE, state: 'failed', cause: HOSTILE, message: HOSTILE, assets: [], products: [] };
const DELIVERY = { state: 'failed', attempts: [{ status: null, fault: HOSTILE }] };
const FILE = 'examples/first-batch.json';

it.each<[line: string, data: unknown]>([
  ['order list', undefined],
  ['batch list', { batches: [BATCH], nextCursor: null }],
  [`submit ${FILE}`, { ...BATCH, orders: [ORDER], nextCursor: null, length: HOSTILE }],
  ['batch show a b', { ...BATCH, orders: [ORDER], nextCursor: null }],
  ['batch show a b --json', { ...BATCH, orders: [ORDER], nextCursor: null }],
  [`batch preview ${FILE}`, [ORDER]],
  ['events', { events: [EVENT], lastId: '1', hasMore: false }],
  ['events --json', { events: [EVENT], lastId: '1', hasMore: false }],
  ['webhook test 1', DELIVERY],
  ['webhook test 1 --json', DELIVERY],
])('%s prints nothing that a terminal obeys, whatever a service answers', async (line, data) => {
  const service = createServer(({ url }, response) => {
    const answers: [token: object, other: object][] = [
      [{ error: HOSTILE, error_description: HOSTILE }, {}],
      [{ access_token: 'a' }, { code: HOSTILE, cause: HOSTILE, message: HOSTILE }],
      [{ access_token: 'a' }, { code: 0, data, ignoredFields: [HOSTILE] }],
    ];
    const [, round, path] = /^\/(\d)(.*)/.exec(url!)!;
    response.end(JSON.stringify(answers[Number(round)]![path === '/oauth2/token' ? 0 : 1]));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  for (const round of data === undefined ? [0, 1] : [2]) {
    const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/${round}`;
    const credentials = { appKey: 'key', appSecret: 'secret' };
    const { stdout, stderr } = await runJob([...COMMAND, ...line.split(' ')], environmentOf({ baseUrl, credentials }));
    const output = stdout + stderr;
    expect(output).toContain('\\u202e');
    expect(output.match(/[^\P{Cc}\n]|\p{Bidi_Control}/gu)).toBeNull();
  }
  service.close();
});

describe('orders that fail while their batches cannot be completed', () => {
  const letEndsFail = async (work: () => Promise<unknown>) => {
    await sql`alter table unnumbered_event add constraint no_ends check (batch_id is null) not valid`.execute(stack.db);
    await work().finally(() => sql`alter table unnumbered_event drop constraint no_ends`.execute(stack.db));
  };

  it('have failed, and the command says why a worker must complete the batches', async () => {
    const [id] = await accept(newBuy(customer, [newAssetNum()]));
    await letEndsFail(async () => {
      const { stdout, stderr } = await lockstep('order', 'fail', id!, '--reason', 'ticket 4711');
      expect(stdout).toBe('{"failed":1}\n');
      expect(stderr).toMatch(/^.*no_ends.*\n$/);
    });
  });

  it('have failed, and the log of the console says why the sweep ends the batches', async () => {
    const [id] = await accept(newBuy(customer, [newAssetNum()]));
    const support = await ConsoleClient.logIn(stack, 'support');
    await letEndsFail(async () => {
      const body = { reason: 'ticket 4711', later: null };
      const result = await support.call('failOrder', { params: { licenseOrderId: id! }, body });
      expect(result).toMatchObject({ outcome: 'failed' });
    });
    const lines = stack.logLines.map((line) => JSON.parse(line));
    const [line, ...more] = lines.filter(({ msg }) => msg === 'batch completion failed; sweep will take over');
    expect(line).toMatchObject({ level: 40, err: { message: expect.stringContaining('no_ends') } });
    expect(more).toEqual([]);
  });
});
