import type { Customer } from '@lockstep/contract';
import { pauseChannel, resumeChannel } from '@lockstep/orders';
import { LANES_OF_CHANNEL } from '@lockstep/orders/testing';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { describe, expect, inject, it, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import { QUEUE_KINDS, type TestDatabase } from '../harness/stack.ts';

/** Real workers take turns at lanes, while they and what is around them fail (rules 6.2 Fair shares). */

const WORKERS = 3;
const DRAINS = 2;
const CHANNELS = 5;
const CUSTOMERS_OF_CHANNEL = 3;
const ACTIONS = 120;
const REDIS_DATABASE = 5;
const PATIENTLY = { timeout: 120_000 };
/**
 * How many drains may commit while a batch of a channel with little work waits beside backlogs: each of the drains that
 * run when it arrives ends, and each may be followed by one of a backlog before its worker prefers lanes with little
 * work.
 */
const MAX_DRAINS_BEFORE = 3 * WORKERS * DRAINS;

type Order = ReturnType<typeof newBuy>;

describe.each(QUEUE_KINDS)(`${WORKERS} workers on %s`, async (queue) => {
  const redisUrl = `${inject('redisUrl')}/${REDIS_DATABASE}`;
  const env = { REDIS_URL: queue === 'redis' ? redisUrl : '', WORKER_DRAINS: String(DRAINS) };
  const { database, api, workers } = await testDeployment({ workers: WORKERS, env });
  await watch(database);

  it('apply the few orders of a channel after a bounded number of drains, whatever backlogs the others have', async () => {
    const { db } = database;
    const backlogs = await Promise.all(
      Array.from({ length: CHANNELS }, (_, channel) => newCustomers(api, `backlog ${channel}`)),
    );
    const small = await api.newCustomer(undefined, 'small');
    for (const worker of workers) process.kill(worker.pid, 'SIGSTOP');
    for (let count = 0; count < 15; count++) {
      for (const customers of backlogs) {
        await api.accept(
          batchOf(...customers.flatMap((each) => Array.from({ length: 60 }, () => newBuy(each, [newAssetNum()])))),
        );
      }
    }
    for (const worker of workers) process.kill(worker.pid, 'SIGCONT');
    const waits: number[] = [];
    while ((await countPending(database)) > 0) {
      const [before] = (await sql<{ drains: string }>`select last_value as drains from drains`.execute(db)).rows;
      const [order] = await api.process(batchOf(newBuy(small, [newAssetNum()])));
      const { rows } = await sql<{ waited: number }>`
        select (drains - ${before!.drains}::bigint)::int as waited from outcomes
        where license_order_id = ${order!.licenseOrderId}`.execute(db);
      waits.push(rows[0]!.waited);
    }
    expect(waits.length).toBeGreaterThan(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_DRAINS_BEFORE);
  });

  it('apply all orders once and in order, while workers die or freeze, drains fail, channels pause and jobs are lost', async () => {
    const { db } = database;
    const customers = (
      await Promise.all(Array.from({ length: CHANNELS }, (_, channel) => newCustomers(api, `channel ${channel}`)))
    ).flat();
    const stories = customers.map((customer) => new Story(customer));
    const batches: ReturnType<typeof batchOf>[] = [];
    const paused = new Set<string>();
    let frozen: (typeof workers)[number] | null = null;
    const thaw = () => {
      if (frozen !== null) process.kill(frozen.pid, 'SIGCONT');
      frozen = null;
    };
    const actions: Record<string, () => Promise<unknown>> = {
      kill: async () => {
        thaw();
        const worker = pick(workers);
        await worker.kill();
        await worker.start();
      },
      freeze: async () => {
        thaw();
        frozen = pick(workers);
        process.kill(frozen.pid, 'SIGSTOP');
      },
      pause: async () => {
        const { channelCode } = pick(customers);
        if (paused.delete(channelCode)) return await resumeChannel(db, channelCode, async () => {});
        paused.add(channelCode);
        // A frozen worker may hold a lane: then it isn't idle yet.
        thaw();
        return await pauseChannel(db, channelCode, async () => {});
      },
      break: () => sql`insert into broken values (${pick(customers).customerId})`.execute(db),
      mend: () => sql`delete from broken`.execute(db),
      loseJobs: () => loseJobs(queue, database, redisUrl),
    };
    const accept = async () => {
      const chosen = new Set(Array.from({ length: 4 }, () => pick(stories)));
      const batch = batchOf(...[...chosen].flatMap((story) => story.next(1 + Math.floor(3 * Math.random()))));
      batches.push(batch);
      await api.accept(batch);
    };
    for (let count = 0; count < ACTIONS; count++) {
      await accept();
      await accept();
      if (count % 4 === 0) await pick(Object.values(actions))();
    }
    thaw();
    await actions.mend!();
    for (const code of paused) await resumeChannel(db, code, async () => {});
    await sql`update order_hold set next_try = now()`.execute(db);
    for (const batch of batches) {
      const { orders } = await vi.waitFor(async () => {
        const result = await api.completed(batch);
        expect(result.pending).toBe(0);
        return result;
      }, PATIENTLY);
      expect(orders.filter(({ state }) => state !== 'succeeded')).toEqual([]);
    }
    expect(await checkNumbers(db)).toEqual([]);
  }, 300_000);

  it('never had two transactions that decided on one lane at once', async () => {
    const { rows } = await sql<{ strangers: number }>`
      select is_called::int * last_value::int as strangers from strangers`.execute(database.db);
    expect(rows).toEqual([{ strangers: 0 }]);
  });
});

/** The orders of a customer. Each succeeds only right after the one before it. */
class Story {
  readonly #customer: Customer;
  readonly #assetNum = newAssetNum();
  #sent = 0;

  constructor(customer: Customer) {
    this.#customer = customer;
  }

  next(count: number): Order[] {
    return Array.from({ length: count }, () =>
      this.#sent++ % 2 === 0
        ? newBuy(this.#customer, [this.#assetNum])
        : (deleteAsset(this.#customer, [this.#assetNum]) as Order),
    );
  }
}

const pick = <Item>(items: readonly Item[]) => items[Math.floor(items.length * Math.random())]!;

const newCustomers = (api: Api, channel: string): Promise<Customer[]> =>
  Promise.all(Array.from({ length: CUSTOMERS_OF_CHANNEL }, () => api.newCustomer(undefined, channel)));

async function countPending({ db }: TestDatabase): Promise<number> {
  const { rows } = await sql`select from lane_chunk where finished_time is null`.execute(db);
  return rows.length;
}

async function loseJobs(queue: 'redis' | 'postgres', { db }: TestDatabase, redisUrl: string): Promise<void> {
  if (queue === 'postgres') {
    await sql`delete from bullmq.job`.execute(db);
    return;
  }
  const redis = new Redis(redisUrl);
  await redis.flushdb();
  redis.disconnect();
}

/**
 * Lets the database watch the workers. It counts drains and the transactions that store an outcome without having
 * locked the row of the order's lane; only one transaction can hold it. It makes orders of broken customers fail.
 * Sequences count even if a transaction rolls back.
 */
async function watch({ db }: TestDatabase): Promise<void> {
  await sql
    .raw(`
      create sequence drains;
      create sequence strangers;
      create table broken (customer_id text);
      create table outcomes (license_order_id bigint primary key, drains bigint not null);

      create function count_drain() returns trigger language plpgsql as $$
      begin
        perform nextval('drains');
        return null;
      end $$;
      create trigger count_drain after update on lane for each statement execute function count_drain();

      create function check_outcome() returns trigger language plpgsql as $$
      begin
        if exists (select from broken where customer_id = new.customer_id) then raise 'made to fail'; end if;
        if not exists (
          select from lane
          join channel on lane / ${LANES_OF_CHANNEL} = channel.id join customer on channel_code = code
          where customer.id::text = new.customer_id
            and lane % ${LANES_OF_CHANNEL} = crc32(new.customer_id::bytea) % ${LANES_OF_CHANNEL}
            and lane.xmax = pg_current_xact_id()::xid
        ) then
          perform nextval('strangers');
        end if;
        insert into outcomes select new.id, last_value from drains;
        return null;
      end $$;
      create trigger check_outcome after insert on license_order for each row execute function check_outcome();`)
    .execute(db);
}
