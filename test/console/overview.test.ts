import { randomUUID } from 'node:crypto';
import type { HealthCheckId, Overview, OverviewSpan } from '@lockstep/contract/console';
import { countActivity } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { ConsoleClient } from '../harness/browser/console.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack } from '../harness/stack.ts';

/** The overview of the service. */

const PATIENTLY = { timeout: 30_000 };

/** Polls until the overview is as expected: a process caches it for a second. */
async function looksLike(client: ConsoleClient, expected: object, span: OverviewSpan = '1h'): Promise<Overview> {
  return await vi.waitFor(async () => {
    const overview = await client.call('getOverview', { query: { span } });
    expect({ ...overview, totals: totalsOf(overview), wrong: wrongChecks(overview) }).toMatchObject(expected);
    return overview;
  }, PATIENTLY);
}

function totalsOf({ intervals }: Overview) {
  const sum = (key: 'accepted' | 'succeeded' | 'failed') => intervals.reduce((total, each) => total + each[key], 0);
  return { accepted: sum('accepted'), succeeded: sum('succeeded'), failed: sum('failed') };
}

const wrongChecks = ({ checks }: Overview): HealthCheckId[] =>
  checks.filter(({ state }) => state !== 'ok').map(({ check }) => check);

describe('with no worker', async () => {
  const { stack } = await testStack({ worker: false });
  const operator = await ConsoleClient.logIn(stack, 'viewer');

  it('shows activity and backlog in every process, and that there is no worker', async () => {
    const api = await stack.newApi();
    const customer = await api.newCustomer();
    await api.accept(batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()])));
    await api.carryOut(newBuy(await api.newCustomer(), [newAssetNum()]));
    const { backlog, now, time, intervals } = await looksLike(operator, {
      totals: { accepted: 3, succeeded: 1, failed: 0 },
      now: { accepted: 3, succeeded: 1, failed: 0 },
      backlog: { pendingOrders: 2, oldest: { acceptedTime: expect.any(Number) } },
      failures: [],
      wrong: ['workers'],
    });
    expect(now.seconds).toBeGreaterThanOrEqual(10);
    expect(now.seconds).toBeLessThan(20);
    expect(intervals).toHaveLength(120);
    expect([intervals[0]!.pending, intervals.at(-1)!.pending]).toEqual([0, 2]);
    expect(intervals.at(-1)!.startTime).toBeLessThanOrEqual(time);
    const { rows } = await sql<{ id: string }>`select id from batch order by id limit 1`.execute(stack.db);
    expect(backlog.oldest).toMatchObject({ batchId: rows[0]!.id });

    const other = await startAnotherApi(stack, api);
    const elsewhere = new ConsoleClient(other.api.baseUrl, operator.login);
    await elsewhere.call('logIn', { body: operator.login });
    await looksLike(elsewhere, { totals: { accepted: 3, succeeded: 1 }, backlog: { pendingOrders: 2 } });
    await other.close();
  });

  it('shows the same before and after activity is counted', async () => {
    const before = totalsOf(await operator.call('getOverview', { query: { span: '6h' } }));
    await countActivity(stack.db);
    const { rows } = await sql<{ left: number }>`
      select count(*)::int as left from uncounted_activity`.execute(stack.db);
    expect(rows).toEqual([{ left: 0 }]);
    await looksLike(operator, { totals: before }, '24h');
  });

  it('shows only the activity of the period', async () => {
    await sql`
      insert into order_activity (period_start, pending, accepted, succeeded, failed) values
      (date_bin('10 seconds', now() - interval '2 hours', 'epoch'), -7, 100, 40, 60)`.execute(stack.db);
    await sql`
      insert into failure_activity (minute_start, cause, failed) values
      (date_bin('1 minute', now() - interval '2 hours', 'epoch'), 'asset_not_found', 60)`.execute(stack.db);
    const { intervals } = await looksLike(
      operator,
      { totals: { accepted: 103 }, failures: [{ cause: 'asset_not_found', failed: 60 }] },
      '7d',
    );
    expect([intervals[0]!.pending, intervals.at(-1)!.pending]).toEqual([7, 2]);
    await looksLike(operator, { totals: { accepted: 3 }, failures: [] });
  });

  it('shows webhooks that are disabled or fail, of all applications', async () => {
    const api = await stack.newApi();
    const webhook = async (state: string) => {
      const url = `https://hooks.example/${randomUUID()}`;
      await sql`
        insert into webhook (application_id, url, secret, after_position, failing_since, disabled_time, disabled_cause)
        select id, ${url}, '\\x00', 0, now() - interval '1 minute',
          case when ${state} = 'disabled' then now() end, case when ${state} = 'disabled' then 'endpoint_gone' end
        from application where app_key = ${api.credentials.appKey}`.execute(stack.db);
      return url;
    };
    const [failing, disabled] = [await webhook('failing'), await webhook('disabled')];
    const { appKey } = api.credentials;
    await looksLike(operator, {
      webhooks: {
        active: 1,
        disabled: 1,
        unhealthy: [
          { url: disabled, state: 'disabled', disabledCause: 'endpoint_gone', appKey, applicationName: 'Test' },
          { url: failing, state: 'failing', disabledCause: null, appKey },
        ],
      },
      wrong: ['workers', 'webhooks_disabled', 'webhooks_failing'],
    });
    expect(await operator.call('getProblems')).toEqual({ checks: 3, channels: 0, heldOrders: 0, webhooks: 2 });
  });
});

describe('with workers', async () => {
  const { stack } = await testStack();
  await stack.startWorker();
  const operator = await ConsoleClient.logIn(stack, 'viewer');

  it('shows each order once, whether API or worker applied it, and why orders failed', async () => {
    const api = await stack.newApi();
    const customer = await api.newCustomer();
    const gone = () => deleteAsset(customer, [newAssetNum()]);
    await api.process(batchOf(newBuy(customer, [newAssetNum()]), gone(), gone()));
    await api.process(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
    await api.process(batchOf({ ...newBuy(customer, [newAssetNum()]), customerId: '1' }));
    await api.carryOut(newBuy(customer, [newAssetNum()]));
    const expected = {
      totals: { accepted: 6, succeeded: 3, failed: 3 },
      failures: [
        { cause: 'asset_not_found', failed: 2, lastTime: expect.any(Number) },
        { cause: 'customer_not_found', failed: 1 },
      ],
      failedChannels: [{ channelCode: 'test', failed: 3 }],
      backlog: { pendingOrders: 0, oldest: null },
      wrong: [],
    };
    await looksLike(operator, expected);
    await vi.waitFor(async () => {
      const { rows } = await sql`select from uncounted_activity`.execute(stack.db);
      expect(rows).toEqual([]);
    }, PATIENTLY);
    await looksLike(operator, expected, '6h');
  });

  it('does not show refused or resubmitted batches', async () => {
    const api = await stack.newApi();
    const { accepted } = totalsOf(await operator.call('getOverview', { query: { span: '24h' } }));
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.process(batch);
    await api.accept(batch);
    await api.submit({ ...batchOf(deleteAsset(await api.newCustomer(), [newAssetNum()])), syncMode: 'sync' });
    await api.submit({ ...batch, orderList: [] });
    await looksLike(operator, { totals: { accepted: accepted + 1 } }, '14d');
  });
});
