import { en } from '@lockstep/console/words';
import { expect, it, vi } from 'vitest';
import { openConsole } from '../harness/browser/browser.ts';
import { look, lookInEveryView, said } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { buyStrict, refuseStrict } from '../harness/orders/strict-orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/** Held orders in a real browser: found on the overview, and marked as failed by an operator. */

const { stack, api } = await testStack();
const customer = await api.newCustomer();
await refuseStrict(stack.db);
const assetNum = newAssetNum();
const batch = batchOf(
  buyStrict(customer, assetNum),
  newBuy(customer, [assetNum]),
  deleteAsset(customer, [assetNum]),
  newBuy(await api.newCustomer(), [newAssetNum()]),
);
const [first] = await api.accept(batch);
const heldId = first!.licenseOrderId;
await vi.waitUntil(async () => (await readResult(api, batch)).held === 3, { timeout: 60_000 });

it('held orders are shown to a viewer', async () => {
  const { page } = await openConsole(stack, 'viewer');
  await page.getByRole('link', { name: en.overview.seeThem }).click();
  await lookInEveryView(page, 'holds', () => said(page, customer.customerId));
  const { page: order } = await openConsole(stack, 'viewer', `/orders/${heldId}`);
  await lookInEveryView(order, 'order-held', async (words) => {
    await order.locator('dt', { hasText: words.orders.heldSince }).waitFor();
    await said(order, words.states.held);
    await said(order, words.orders.heldItself);
    expect(await order.getByText(words.orders.nowSucceeds).count()).toBe(0);
    expect(await order.getByRole('button', { name: words.orders.failOrder }).count()).toBe(0);
  });
});

it('a held order is marked as failed with a reason, after a choice for the later ones', async () => {
  const { page } = await openConsole(stack, 'support');
  await page.getByRole('link', { name: en.overview.seeThem }).waitFor();
  await look(page, 'overview-held');
  await page.getByRole('link', { name: en.overview.seeThem }).click();
  await page.getByRole('link', { name: heldId }).click();
  await page.getByRole('button', { name: en.orders.retryNow }).click();
  await page.getByRole('dialog').getByRole('button', { name: en.orders.retryNow }).click();
  await said(page, en.orders.retryNowDone);
  await page.getByRole('button', { name: en.orders.failOrder }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: en.orders.failOrder });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox', { name: en.orders.reason }).fill('ticket 4711');
  await confirm.click();
  await said(page, en.orders.laterPending('2'));
  expect(await confirm.isDisabled()).toBe(true);
  await look(page, 'order-fail');
  await dialog.getByRole('combobox').selectOption('keep');
  await confirm.click();
  await said(page, en.orders.failedNow('1'));
  await said(page, 'internal_error');
  await vi.waitUntil(async () => (await readResult(api, batch)).state === 'completed', { timeout: 60_000 });
  expect(await readResult(api, batch)).toMatchObject({ succeeded: 3, failed: 1, held: 0 });
  await page.goto(`/console/audit-log?target=${heldId}`);
  await said(page, 'ticket 4711');
  await page.getByTitle('order.failed').waitFor();
  expectNoFaults(page);
});
