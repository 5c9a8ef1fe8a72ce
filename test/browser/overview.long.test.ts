import { en } from '@lockstep/console/words';
import { QUEUE_NAME } from '@lockstep/orders';
import { createLogger, openConsumer } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, openInSession } from '../harness/browser/browser.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { lookInEveryView, said } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** The overview and the queue of a healthy and of an unhealthy service. */

const MARKUP = '<img src=x onerror=alert(1)>';

const { stack, api } = await testStack();
const customer = await api.newCustomer();
await api.process(batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()])));
await api.process(batchOf({ ...newBuy(customer, [newAssetNum()]), customerId: '1' }));
// Earlier activity and a backlog, which rise and fall.
await sql`
  insert into order_activity (period_start, pending, accepted, succeeded, failed)
  select date_bin('10 seconds', now() - make_interval(secs => n * 10), 'epoch'),
    (3000 * greatest(0, sin((n - 3) / 300.0)))::int - (3000 * greatest(0, sin((n - 2) / 300.0)))::int,
    (20 + 15 * sin(n / 150.0))::int * 10, (19 + 15 * sin((n + 3) / 150.0))::int * 10, case when n % 40 < 6 then 30 else 2 end
  from generate_series(3, 2160) as n on conflict do nothing`.execute(stack.db);
await sql`
  insert into failure_activity (minute_start, cause, failed)
  select date_bin('1 minute', now() - make_interval(mins => n), 'epoch'), cause, 7
  from generate_series(1, 350) as n, unnest('{product_not_found,asset_owned_by_other_customer}'::text[]) as cause
  on conflict do nothing`.execute(stack.db);

const settled = async (page: Page) => {
  await page.locator('canvas').first().waitFor();
  await page.getByRole('link', { name: 'asset_not_found' }).waitFor();
};

describe('the overview of a healthy service', () => {
  it('shows activity and failures', async () => {
    const { page } = await openConsole(stack, 'viewer');
    await settled(page);
    await page.getByRole('img', { name: /, 0 without an outcome at its end\.$/ }).waitFor();
    expect(await page.locator('.u-legend .u-value').last().innerText()).toBe('0');
    await lookInEveryView(page, 'overview', async (words) => {
      expect(await page.getByText(words.overview.allWell).count()).toBe(1);
    });
    await page.locator('summary').click();
    await expectAccessible(page);
    expectNoFaults(page);
  });

  it('has an address for each period, and links to failed orders', async () => {
    const { page } = await openConsole(stack, 'viewer');
    await settled(page);
    await page.getByRole('combobox', { name: en.overview.span }).selectOption('24h');
    await page.waitForURL(/\/console\/?\?span=24h$/);
    await page.reload();
    await settled(page);
    expect(await page.getByRole('combobox', { name: en.overview.span }).inputValue()).toBe('24h');
    await page.getByRole('link', { name: 'asset_not_found' }).click();
    await page.waitForURL('**/console/orders?*');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      state: 'failed',
      cause: 'asset_not_found',
    });
    expectNoFaults(page);
  });

  it('zooms in on a part of the period, and links to the orders and failures of that time', async () => {
    const { page } = await openConsole(stack, 'viewer');
    await settled(page);
    const { x, y, width } = (await page.locator('.u-over').first().boundingBox())!;
    await page.mouse.move(x + width / 4, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 20, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    const zoomed = new URL(page.url()).searchParams;
    const ofThen = { acceptedFrom: zoomed.get('from'), acceptedTo: zoomed.get('to') };
    expect(Number(ofThen.acceptedTo) - Number(ofThen.acceptedFrom)).toBeGreaterThan(3_600_000);
    await expectAccessible(page);
    for (const [name, more] of [
      [en.overview.acceptedThen, {}],
      [en.overview.failedThen, { state: 'failed' }],
      ['product_not_found', { state: 'failed', cause: 'product_not_found' }],
    ] as const) {
      await page.getByRole('link', { name }).click();
      await page.waitForURL('**/console/orders?*');
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ ...ofThen, ...more });
      await page.goBack();
    }
    await page.getByTitle(en.overview.clearZoom).click();
    await page.waitForURL((url) => !url.search.includes('from'));
    expectNoFaults(page);
  });

  it('updates automatically', async () => {
    const { page } = await openConsole(stack, 'viewer', '?span=1h');
    await settled(page);
    const [gone] = await api.process(batchOf({ ...newBuy(customer, [newAssetNum()]), enterpriseGlobalId: '1' }));
    expect(gone).toMatchObject({ cause: 'enterprise_mismatch' });
    await page.getByRole('link', { name: 'enterprise_mismatch' }).waitFor();
  });
});

it('the overview of the demo shows the demo data and what to do next', async () => {
  const demo = { appKey: 'app_demo', file: '/tmp/a demo/demo.json' };
  const { stack: newcomer, api } = await testStack({ demo });
  const { page } = await openConsole(newcomer, 'admin');
  const command = (file: string) => page.getByText(`DATA_DIR='/tmp/a demo' npx lockstep submit examples/${file}`);
  await lookInEveryView(page, 'overview-demo', async () => {
    await command('first-batch.json').waitFor();
    await page.locator('a[href$="/console/enterprises"]').last().waitFor();
  });
  const customer = await api.newCustomer();
  await api.process(batchOf(newBuy(customer, [newAssetNum()])));
  await command('mixed-batch.json').waitFor();
  await api.process(batchOf(newBuy(customer, [newAssetNum()])));
  await page.locator('code').waitFor({ state: 'detached' });
  const tutorial = page.getByText('docs/tutorial.md');
  await tutorial.waitFor();
  await api.process(batchOf(newBuy(customer, [newAssetNum()])));
  await tutorial.waitFor({ state: 'detached' });
  expectNoFaults(page);
});

it('the overview of an unhealthy service says what is wrong and what to do', async () => {
  const { stack: sick, api } = await testStack({ worker: false });
  await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
  await sql`update application set name = ${MARKUP}`.execute(sick.db);
  await sql`
    insert into webhook (application_id, url, secret, after_position, disabled_time, disabled_cause)
    select id, 'https://hooks.example/' || ${MARKUP}, '\\x00', 0, now(), 'endpoint_gone'
    from application limit 1`.execute(sick.db);
  const support = await ConsoleClient.logIn(sick, 'support');
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  const process = () => Promise.reject(new Error(MARKUP));
  const failing = openConsumer(sick.queue, QUEUE_NAME, { concurrency: 1, log, process });
  await vi.waitFor(async () => expect((await support.call('getQueue')).found?.counts).toMatchObject({ failed: 1 }), {
    timeout: 60_000,
  });
  await failing.close();
  await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
  const overview = await openInSession(support);
  await lookInEveryView(overview, 'overview-not-well', async (words) => {
    await said(overview, words.checks.workers_do);
    await said(overview, MARKUP);
  });
  const queue = await openInSession(support, '/queue');
  await lookInEveryView(queue, 'queue-not-well', async (words) => {
    await queue.getByRole('cell', { name: MARKUP }).waitFor();
    await said(queue, words.queue.noWorkers);
  });
});
