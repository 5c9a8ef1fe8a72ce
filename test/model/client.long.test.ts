import { hashSecret } from '@lockstep/access';
import { FaultPlan, FaultyProxy } from '@lockstep/cli/testing';
import type { Event } from '@lockstep/client';
import type { OrderPage } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Api, dataOf, readPages } from '../harness/api.ts';
import { numberAll, readFeed } from '../harness/orders/events.ts';
import { startStack } from '../harness/stack.ts';
import { ThroughClient } from '../harness/through-client.ts';
import { assertAtOnce } from './assert-at-once.ts';
import { compareHistories } from './asset-history.ts';
import { budget } from './budget.ts';
import { drive } from './driver.ts';
import { expectSame } from './expect-same.ts';
import { histories } from './histories.ts';
import { sortedLedger } from './ledger-value.ts';
import { readLedger } from './stored-ledger.ts';
import { newWorlds, openPlace } from './world.ts';

/**
 * Random histories through the client library, behind a proxy that loses, cuts, delays and repeats every second call:
 * nothing takes effect twice, nothing is lost, and answers are the model's. An integrator follows the events meanwhile,
 * and lists and exports the orders afterwards.
 */
const HISTORIES = 24;
const history = histories({ maxBatches: 6, maxOrders: 8 });

const stack = await startStack();
const { db } = stack;
const proxy = await FaultyProxy.open(0, new FaultPlan(Math.floor(Math.random() * 1e9)));
const revoke = (token: string) => sql`delete from access_token where token_hash = ${hashSecret(token)}`.execute(db);
proxy.forwardTo({ baseUrl: stack.baseUrl, revoke });
afterAll(async () => {
  await proxy.close();
  await stack.close();
});

// The first ones are left out: the model takes the ids of customers and employees for different ones.
const worlds = (await newWorlds(db, 2 + HISTORIES)).slice(2);
const through = (api: Api) => new ThroughClient(api, proxy.baseUrl);
let orders = 0;

it('agrees with the model on any history, whatever happens to calls', { timeout: 36_000_000 }, async () => {
  const api = await stack.newApi();
  const { lockstep } = through(api);
  const followed: Event[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const follow = async () => {
    for await (const event of lockstep.events({}, { signal: ending.signal })) followed.push(event);
  };
  const following = follow().catch((error) => ending.signal.aborted || Promise.reject(error));
  const batches: string[] = [];
  await assertAtOnce(
    history,
    async (each) => {
      const world = worlds.pop() ?? (await newWorlds(db, 1))[0]!;
      const direct = await openPlace(stack, api, world);
      const { S1, S2, S3 } = direct.apis;
      const place = { ...direct, apis: { S1: through(S1), S2: through(S2), S3: through(S3) } };
      const { model, sent, ...counts } = await drive(place, each);
      orders += counts.orders;
      batches.push(...sent.S1);
      const ledger = sortedLedger(await readLedger(db, world.numberPrefix));
      expectSame('the final ledger', ledger, sortedLedger(model.assets));
      await compareHistories(api, model.happenings);
    },
    { ...budget(HISTORIES), atOnce: HISTORIES, rounds: { runs: Number.POSITIVE_INFINITY, start: async () => {} } },
  );

  await numberAll(db);
  const feed = await readFeed(api);
  const completed = feed.flatMap(({ data }) => ('channelOrderId' in data ? data.channelOrderId : []));
  expectSame('the completed batches', completed.toSorted(), batches.toSorted());
  await Promise.race([following, vi.waitUntil(() => followed.length >= feed.length, { timeout: 300_000 })]);
  ending.abort();
  await following;
  expectSame('the followed events', followed, feed);
  const pages = await readPages<OrderPage>(async (cursor) =>
    dataOf(await api.ask('listOrders', { query: { cursor } })),
  );
  const all = pages.flatMap((page) => page.orders);
  const exported = await Array.fromAsync(lockstep.export('ndjson', 'listOrders'), (row) => JSON.parse(row));
  expectSame('the exported orders', exported, all);
  expectSame('the listed orders', await Array.fromAsync(lockstep.list('listOrders')), all);

  const faults = new Set(proxy.calls.flatMap(({ fault }) => fault ?? []));
  process.stderr.write(`${orders} orders in ${proxy.calls.length} calls, of which half failed, agree with the model\n`);
  expect([...faults].toSorted()).toEqual([
    ...['cut', 'error', 'gateway', 'half', 'lost', 'overloaded', 'repeated', 'revoked', 'unavailable'],
  ]);
});
