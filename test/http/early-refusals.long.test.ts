import { createApplication } from '@lockstep/access';
import { ORDER_ROOT, operations } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Api } from '../harness/api.ts';
import { buildHead, readFirst, send } from '../harness/network/raw-calls.ts';
import { freePort } from '../harness/network/redis.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { CLIENTS, runSender, type Sending } from '../harness/senders/senders.ts';
import { createTestDatabase, testStack } from '../harness/stack.ts';

/** An answer sent while the client is still writing reaches every client (rules 1). */
const MEBIBYTE = 1024 * 1024;
const BATCH_ORDER = operations.createBatchOrder.path;
const BATCH_ORDER_PATH = BATCH_ORDER.slice(ORDER_ROOT.length);
const BIND = operations.bindCustomer.path;
const JSON_TYPE = { 'content-type': 'application/json' };

const installed = CLIENTS.filter(({ isInstalled }) => isInstalled);
for (const { name } of CLIENTS.filter((client) => !installed.includes(client))) {
  process.stdout.write(`${name} is not installed: early refusals are not tested with it\n`);
}

const { stack, api } = await testStack({ worker: false });

/** Returns O1 calls with 8 MiB by an authorized caller. `changes` may change them. */
function sending(caller: Api, changes: Partial<Sending> & { path?: string } = {}): Sending {
  const { path = BIND, ...rest } = changes;
  return {
    url: `${caller.baseUrl}${path}?appKey=${caller.credentials.appKey}&g_nonce=NONCE`,
    count: 5,
    atOnce: 5,
    bytes: 8 * MEBIBYTE,
    how: 'whole',
    headers: { authorization: `Bearer ${caller.token}`, ...JSON_TYPE },
    ...rest,
  };
}

/** Counts outcomes: an answer's status and cause, or what the client saw instead. */
async function outcomes(client: (typeof CLIENTS)[number], what: Sending): Promise<Record<string, number>> {
  const lines = (await runSender(client, what)).map((line) => {
    const [, status, body] = /^(\d+) (\{.*)$/.exec(line) ?? [];
    if (status === undefined || body === undefined) return line;
    const { cause, error } = JSON.parse(body) as { cause?: string; error?: string };
    return `${status} ${cause ?? error}`;
  });
  return Object.fromEntries(
    Map.groupBy(lines, (line) => line)
      .entries()
      .map(([line, { length }]) => [line, length]),
  );
}

/** Returns the outcomes of all clients for the same calls. */
const outcomesOfAll = (what: Sending) =>
  Promise.all(installed.map(async (client) => [client.name, await outcomes(client, what)]));
/** Bodies that are too slow. They time out while the other tests run. */
const tooSlow = outcomesOfAll(sending(api, { how: 'slow', bytes: 660 * 1024, count: 10, atOnce: 10 }));
const allGet = (outcome: Record<string, number>) => installed.map(({ name }) => [name, outcome]);

it('every client gets every answer to bodies that exceed their application’s share of the bytes in flight', async () => {
  const greedy = await stack.newApi();
  const call = () =>
    buildHead(greedy, BATCH_ORDER_PATH, { headers: { 'content-length': MEBIBYTE } }) + '{'.padEnd(MEBIBYTE - 1);
  const sockets = await Promise.all(Array.from({ length: 64 }, () => send(stack.baseUrl, call())));
  const submitSmall = async () => (await greedy.submit(undefined, { rawBody: '{}'.padEnd(1024) })).body.cause;
  await expect.poll(submitSmall).toBe('overloaded');
  const answers = await outcomesOfAll(sending(greedy, { path: BATCH_ORDER, bytes: 3 * MEBIBYTE }));
  for (const socket of sockets) socket.destroy();
  expect(answers).toEqual(allGet({ '299 overloaded': 5 }));
});

describe.concurrent('every client gets every answer', () => {
  it.each<[what: string, changes: () => Parameters<typeof sending>[1], answer: string]>([
    ['of orders that are too large', () => ({ path: BATCH_ORDER, count: 20 }), '299 body_too_large'],
    ['too large: 80 of 80', () => ({ count: 80 }), '299 body_too_large'],
    ['too large, without a length', () => ({ how: 'chunked' }), '299 body_too_large'],
    ['without a token', () => ({ headers: JSON_TYPE }), '299 token_missing'],
    ['with a wrong token', () => ({ headers: { authorization: 'Bearer a', ...JSON_TYPE } }), '299 token_invalid'],
    [
      'of another type',
      () => ({ headers: { authorization: `Bearer ${api.token}`, 'content-type': 'text/plain' } }),
      '299 content_type_unsupported',
    ],
    ['to an unknown path', () => ({ path: '/nothing' }), '404 operation_not_found'],
    ['with an unsupported method', () => ({ path: operations.getEvents.path }), '405 method_not_allowed'],
    [
      'at the token endpoint',
      () => ({ path: operations.issueToken.path, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      '400 invalid_request',
    ],
  ])('to bodies %s', async (_what, changes, answer) => {
    const calls = sending(api, changes());
    expect(await outcomesOfAll(calls)).toEqual(allGet({ [answer]: calls.count }));
  });

  it('to bodies that are too slow', async () => {
    expect(await tooSlow).toEqual(allGet({ '408 request_timeout': 10 }));
  });

  it('of a process that stops meanwhile', async ({ expect }) => {
    const database = await createTestDatabase();
    const port = await freePort();
    const service = ServiceProcess.api({ DATABASE_URL: database.url, REDIS_URL: '', PORT: String(port) });
    await service.start();
    const credentials = await createApplication(database.db, { name: 'Test', scopes: ['auth_order'], approved: true });
    const caller = await Api.logIn(`http://127.0.0.1:${port}`, credentials);
    const slow = { how: 'slow', bytes: 64 * 1024, count: 10, atOnce: 10 } as const;
    const read = outcomesOfAll(sending(caller, slow));
    const refused = outcomesOfAll(sending(caller, { ...slow, headers: JSON_TYPE }));
    // A body that takes longer than the process has to stop.
    const head = buildHead(caller, BATCH_ORDER_PATH, { headers: { 'content-length': 4 * MEBIBYTE } });
    const socket = await send(caller.baseUrl, head);
    const writing = setInterval(() => socket.write(' '.repeat(4 * 1024)), 100);
    const begun = async () => {
      const { rows } = await sql`select from nonce`.execute(database.db);
      return [rows.length, service.linesWith('token_missing').length];
    };
    await expect.poll(begun).toEqual([installed.length * 10 + 1, installed.length * 10]);
    const answer = readFirst(socket);
    expect(await service.stop()).toBe(0);
    clearInterval(writing);
    expect(await answer).toContain('service_unavailable');
    expect(await read).toEqual(allGet({ '299 field_missing': 10 }));
    expect(await refused).toEqual(allGet({ '299 token_missing': 10 }));
    await database.close();
  });
});

it('every client gets every answer to calls that wait too long before their body is read', async () => {
  const answers = await stack.db.transaction().execute(async (trx) => {
    await sql`lock table nonce in exclusive mode`.execute(trx);
    return await outcomesOfAll(sending(api, { count: 10, atOnce: 10 }));
  });
  expect(answers).toEqual(allGet({ '299 overloaded': 10 }));
});
