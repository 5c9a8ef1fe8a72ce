import type { Socket } from 'node:net';
import type { BatchResult, Customer } from '@lockstep/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answer, dataOf } from '../harness/api.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import {
  addStandby,
  type PostgresServer,
  removeServers,
  startPrimary,
  untilCaughtUp,
  untilStreaming,
} from '../harness/postgres-cluster.ts';
import { buildHead, send } from '../harness/raw-calls.ts';
import { type ReplicatedService, type Served, startReplicatedService } from '../harness/standby-reads.ts';

/** Reads from a standby are never older than what was answered before, and never fail, whatever becomes of the standby. */
let primary: PostgresServer;
let standby: PostgresServer;
let service: ReplicatedService;
let customer: Customer;

beforeAll(async () => {
  primary = await startPrimary();
  standby = await addStandby(primary);
  service = await startReplicatedService([primary], [standby]);
  customer = await service.api.newCustomer();
  await service.untilUsable(true);
});
afterAll(async () => {
  await service?.close();
  await removeServers();
});

type Batch = ReturnType<typeof batchOf>;

const keyOf = ({ channelCode, channelOrderId }: Batch) => ({ channelCode, channelOrderId });
const poll = async (batch: Batch): Promise<BatchResult> =>
  dataOf(await service.api.ask('getBatchResult', { query: keyOf(batch) }));

/** Who has served the reads that are done meanwhile. */
async function servedBy(reads: () => Promise<unknown>): Promise<Served> {
  const before = await service.served();
  await reads();
  const after = await service.served();
  const why = Object.fromEntries(
    Object.entries(after.why).map(([reason, count]) => [reason, count - (before.why[reason] ?? 0)]),
  );
  return { standby: after.standby - before.standby, primary: after.primary - before.primary, why };
}

/** Those that found a standby to be asked. On a busy machine it may be late for a moment, and is not used for a second. */
const triedThere = ({ standby, primary, why }: Served) => standby + primary - (why.unusable ?? 0) - (why.failed ?? 0);

/**
 * Accepts batches one after the other and polls each at once, until it is completed. What a poll has shown, no later one takes
 * back. Returns how many polls it took.
 */
async function acceptAndPoll(count: number): Promise<number> {
  let polls = 0;
  for (let accepted = 0; accepted < count; accepted++) {
    const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
    await service.api.accept(batch);
    let seen: BatchResult | undefined;
    while (seen?.state !== 'completed') {
      const result = await poll(batch);
      expect(result.total).toBe(2);
      expect(result.succeeded).toBeGreaterThanOrEqual(seen?.succeeded ?? 0);
      seen = result;
      polls++;
    }
  }
  return polls;
}

/** Polls of batches that are completed: nothing else is written meanwhile. */
async function pollAgain(batch: Batch, times: number): Promise<void> {
  for (let time = 0; time < times; time++) expect(await poll(batch)).toMatchObject({ state: 'completed' });
}

async function completedBatch(): Promise<Batch> {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
  await service.api.process(batch);
  return batch;
}

/** A round of what clients do. Whatever the standby is, it must be answered as if there were none. */
async function workRound(): Promise<Served> {
  return await servedBy(async () => {
    await Promise.all(Array.from({ length: 4 }, () => acceptAndPoll(3)));
  });
}

test('every read of the order module that changes nothing goes to the standby', async () => {
  const { api } = service;
  const assetNum = newAssetNum();
  const batch = batchOf(newBuy(customer, [assetNum]), deleteAsset(customer, [newAssetNum()]));
  const [bought] = await api.process(batch);
  const query = keyOf(batch);
  const reads: Record<string, () => Promise<Answer>> = {
    result: () => api.ask('getBatchResult', { query }),
    'order result': () => api.call('GET', `/licenseOrder/${bought!.licenseOrderId}`),
    batches: () => api.ask('listBatches'),
    orders: () => api.ask('listOrders', { query: { assetNum } }),
    'failed orders': () => api.ask('getFailedOrders', { query }),
    events: () => api.ask('getEvents'),
    asset: () => api.call('GET', `/asset/${assetNum}`),
    history: () => api.call('GET', `/asset/${assetNum}/history`),
  };
  for (const [name, read] of Object.entries(reads)) {
    const answers: Answer[] = [];
    // One of them may meet a standby that is late for a moment.
    const served = await servedBy(async () => {
      for (let time = 0; time < 5; time++) answers.push(await read());
    });
    expect(served.standby, name).toBeGreaterThan(0);
    expect(
      answers.map(({ status }) => status),
      name,
    ).toEqual([200, 200, 200, 200, 200]);
  }
  const [activity] = await standby.query<{ sessions: number }>(
    "select count(*)::int as sessions from pg_stat_activity where application_name like 'lockstep-replica%'",
  );
  expect(activity!.sessions).toBeGreaterThan(1);
});

test('a call that waits is served by the primary', async () => {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
  const served = await servedBy(() => service.api.process(batch));
  expect(served).toMatchObject({ standby: 0, primary: 0 });
});

test('polls alone, behind which nothing is written to the disk for long, go to the standby too', async () => {
  const batch = await completedBatch();
  const served = await servedBy(() => pollAgain(batch, 600));
  process.stdout.write(`polls alone, served by ${JSON.stringify(served)}\n`);
  // If nobody completed the records in which pages of the log end, it would be a quarter of them.
  expect(served.why.behind ?? 0).toBeLessThan(90);
  expect(served.standby).toBeGreaterThan(triedThere(served) / 2);
});

test('a poll right after an accept sees it, and most of them on the standby', async () => {
  let polls = 0;
  const served = await servedBy(async () => {
    const counts = await Promise.all(Array.from({ length: 6 }, () => acceptAndPoll(25)));
    polls = counts.reduce((sum, count) => sum + count, 0);
  });
  process.stdout.write(`150 batches accepted; ${polls} polls, served by ${JSON.stringify(served)}\n`);
  expect(served.standby + served.primary).toBe(polls);
  expect(served.standby).toBeGreaterThan(triedThere(served) / 2);
});

test('a poll right after an accept sees it, under load and with a standby that is late now and then', async () => {
  let polls = 0;
  const served = await servedBy(async () => {
    let isOver = false;
    const load = Promise.all(Array.from({ length: 6 }, () => acceptAndPoll(25))).finally(() => {
      isOver = true;
    });
    const disturb = async () => {
      while (!isOver) {
        await standby.query('select pg_wal_replay_pause()');
        await standby.query('select pg_sleep(0.2)');
        await standby.query('select pg_wal_replay_resume()');
        await standby.query('select pg_sleep(0.3)');
      }
    };
    const [counts] = await Promise.all([load, disturb()]);
    polls = counts.reduce((sum, count) => sum + count, 0);
  });
  process.stdout.write(`150 batches accepted; ${polls} polls, served by ${JSON.stringify(served)}\n`);
  expect(served.standby + served.primary).toBe(polls);
  expect(served.standby).toBeGreaterThan(0);
  expect(served.why.behind).toBeGreaterThan(0);
});

test('a standby whose replay is paused right after an accept does not hide it', async () => {
  const batch = await completedBatch();
  await pollAgain(batch, 3);
  await standby.query('select pg_wal_replay_pause()');
  try {
    const served = await workRound();
    expect(served.primary).toBeGreaterThan(0);
    expect(await service.gauge('lockstep_replica_lag_bytes')).toBeDefined();
  } finally {
    await standby.query('select pg_wal_replay_resume()');
  }
});

test('a standby that is an hour behind is not read from, and says so', async () => {
  await standby.set('recovery_min_apply_delay', '1h');
  await workRound();
  await service.untilUsable(false);
  const served = await workRound();
  expect(served).toMatchObject({ standby: 0, why: { unusable: served.primary } });
  expect(await service.gauge('lockstep_replica_lag_seconds')).toBeGreaterThan(1);
  expect(await service.gauge('lockstep_replica_lag_bytes')).toBeGreaterThan(0);
  expect(service.logLines.join('')).toContain('is behind, or has lost its primary');
  await standby.set('recovery_min_apply_delay', null);
  await service.untilUsable(true);
  expect((await workRound()).standby).toBeGreaterThan(0);
});

test('no call fails when the standby is killed, and reads go there again when it is back', async () => {
  const rounds = Promise.all([workRound(), workRound()]);
  await standby.kill();
  await rounds;
  await service.untilUsable(false);
  expect((await workRound()).standby).toBe(0);
  // Nothing is known of how far it is.
  expect(await service.gauge('lockstep_replica_lag_bytes')).toBeUndefined();
  await standby.start();
  await service.untilUsable(true);
  const batch = await completedBatch();
  expect((await servedBy(() => pollAgain(batch, 20))).standby).toBeGreaterThan(0);
});

test('no call fails or waits for long when the standby hangs', async () => {
  const batch = await completedBatch();
  standby.pause();
  try {
    await pollAgain(batch, 20);
    await service.untilUsable(false);
    expect((await workRound()).standby).toBe(0);
  } finally {
    standby.resume();
  }
  await service.untilUsable(true);
  expect((await servedBy(() => pollAgain(batch, 20))).standby).toBeGreaterThan(0);
});

/** Makes what a standby does before it says that an order is not there take a second, until it is put back. */
async function delayNotFound(): Promise<() => Promise<void>> {
  const [before] = await primary.query<{ definition: string }>(
    "select pg_get_functiondef('missing_partitions()'::regprocedure) as definition",
  );
  await primary.query(`
    create or replace function missing_partitions() returns setof text language plpgsql stable security definer
    set search_path = public, pg_temp as $$ begin
      if pg_is_in_recovery() then perform pg_sleep(1); end if;
    end $$`);
  await untilCaughtUp(primary, standby);
  return async () => {
    await primary.query(before!.definition);
    await untilCaughtUp(primary, standby);
  };
}

const countSleeping = async () => {
  const [sleeping] = await standby.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where wait_event = 'PgSleep'",
  );
  return sleeping!.count;
};

/** The path of an order that is not there. */
async function unknownOrder(): Promise<string> {
  const [{ licenseOrderId } = { licenseOrderId: '' }] = await service.api.accept(
    batchOf(newBuy(customer, [newAssetNum()])),
  );
  return `/licenseOrder/${BigInt(licenseOrderId) + 1n}`;
}

test('the primary serves what comes while all connections to the standby are in use', async () => {
  const unknown = await unknownOrder();
  const putBack = await delayNotFound();
  try {
    // More than once, as connections that are new may be late on a busy machine.
    await vi.waitFor(
      async () => {
        const served = await servedBy(async () => {
          const answers = await Promise.all(Array.from({ length: 30 }, () => service.api.call('GET', unknown)));
          expect(answers.map(({ body }) => body.cause)).toEqual(answers.map(() => 'order_not_found'));
        });
        expect(served.standby).toBeGreaterThan(0);
        expect(served.why.busy).toBeGreaterThan(0);
        expect(served.why.failed ?? 0).toBe(0);
      },
      { timeout: 30_000 },
    );
  } finally {
    await putBack();
  }
  const batch = await completedBatch();
  expect((await servedBy(() => pollAgain(batch, 20))).standby).toBeGreaterThan(0);
});

test('clients that leave while the standby works for them hold nothing there', async () => {
  const unknown = await unknownOrder();
  const { api } = service;
  const call = () => buildHead(api, unknown, { method: 'GET' });
  const putBack = await delayNotFound();
  try {
    for (let round = 0; round < 3; round++) {
      const sockets: Socket[] = [];
      await vi.waitFor(
        async () => {
          sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => send(api.baseUrl, call())))));
          expect(await countSleeping()).toBeGreaterThan(3);
        },
        { timeout: 30_000, interval: 100 },
      );
      for (const socket of sockets) socket.destroy();
      await vi.waitFor(async () => expect(await countSleeping()).toBe(0), { timeout: 30_000 });
    }
  } finally {
    await putBack();
  }
  await vi.waitFor(
    async () => {
      const served = await servedBy(async () => {
        for (let time = 0; time < 20; time++) {
          expect((await service.api.call('GET', unknown)).body.cause).toBe('order_not_found');
        }
      });
      expect(served).toMatchObject({ standby: 20, primary: 0 });
    },
    { timeout: 30_000 },
  );
});

test('a process that is ready stays ready without its standby', async () => {
  await standby.kill();
  const response = await fetch(`${service.api.baseUrl}/health/ready`);
  expect(response.status).toBe(200);
  await standby.start();
  await service.untilUsable(true);
});

test('a standby that is promoted by mistake, or follows such a one, is not read from', async () => {
  const second = await addStandby(primary);
  const both = await startReplicatedService([primary], [standby, second]);
  try {
    await both.untilUsable(true, standby);
    await both.untilUsable(true, second);
    await second.promote();
    // From here on its history is another one, and gets ahead of the primary's.
    await second.query(
      'create table elsewhere as select repeat(md5(n::text), 100) from generate_series(1, 50000) as n',
    );
    await workRound();
    await both.untilUsable(false, second);
    const follower = await addStandby(second);
    const misled = await startReplicatedService([primary], [follower]);
    try {
      await vi.waitFor(
        () => {
          expect(misled.logLines.join('')).toContain('does not show what this process has written');
        },
        { timeout: 30_000 },
      );
      const batch = batchOf(newBuy(await misled.api.newCustomer(), [newAssetNum()]));
      await misled.api.process(batch);
      const polled: BatchResult = dataOf(await misled.api.ask('getBatchResult', { query: keyOf(batch) }));
      expect(polled.state).toBe('completed');
      expect(await misled.served()).toMatchObject({ standby: 0, primary: expect.any(Number) });
    } finally {
      await misled.close();
    }
    // What was promoted is replaced by a copy of the primary.
    await follower.remove();
    await second.startAsStandbyOf(primary);
    await untilStreaming(primary, second);
    await both.untilUsable(true, second);
  } finally {
    await both.close();
    await second.remove();
  }
});

test('after a failover reads go to what was the primary, when it follows the new one', async () => {
  await service.close();
  const servers = [primary, standby];
  service = await startReplicatedService(servers, servers);
  await service.untilUsable(true, standby);
  await service.untilUsable(false, primary);
  customer = await service.api.newCustomer();
  const before = await completedBatch();
  await untilCaughtUp(primary, standby);

  await primary.kill();
  await standby.promote();
  // Until the processes have found it, calls are refused.
  await vi.waitFor(() => completedBatch(), { timeout: 60_000, interval: 200 });
  await service.untilUsable(false, standby);
  expect((await workRound()).standby).toBe(0);

  await primary.startAsStandbyOf(standby);
  await service.untilUsable(true, primary);
  expect((await servedBy(() => pollAgain(before, 20))).standby).toBeGreaterThan(0);
  expect((await workRound()).standby).toBeGreaterThan(0);
});
