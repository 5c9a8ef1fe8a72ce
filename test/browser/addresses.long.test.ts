import { en } from '@lockstep/console/words';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole } from '../harness/browser/browser.ts';
import { openShop } from '../harness/browser/console-shop.ts';
import { filterBy, press, settled } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** A page's address holds its filters and position, so that it can be shared and Back works. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const shop = await openShop(stack);

const rowsOf = (page: Page) => page.locator('tbody tr');

it('a list with filters is the same for a colleague', async () => {
  const { page } = await openConsole(stack, 'support', '/batches');
  await settled(page, shop.batch.channelOrderId);
  expect(await rowsOf(page).count()).toBeGreaterThan(1);
  await press(page, en.batches.hasFailed);
  await page.waitForURL(/hasFailed/);
  await settled(page, shop.batch.channelOrderId);
  const { page: there } = await openConsole(stack, 'viewer', page.url().split('/console')[1]);
  await settled(there, shop.batch.channelOrderId);
  expect(await rowsOf(there).count()).toBe(1);
  await there.getByRole('button', { name: en.batches.hasFailed, pressed: true }).waitFor();
});

it('a list of batches is turned around by its header', async () => {
  const { page } = await openConsole(stack, 'viewer', '/batches');
  await settled(page, shop.batch.channelOrderId);
  const numbers = () => page.locator('tbody td:first-child').allInnerTexts();
  const newestFirst = await numbers();
  const header = page.getByRole('columnheader', { name: en.batches.acceptedTime });
  await header.getByRole('button').press('Enter');
  await page.waitForURL(/order=oldest/);
  await expect.poll(numbers).toEqual(newestFirst.toReversed());
  expect(await header.getAttribute('aria-sort')).toBe('ascending');
});

it('Back from an order restores the filters, and Forward the order', async () => {
  const { page } = await openConsole(stack, 'viewer', '/orders');
  await settled(page);
  await filterBy(page, en.orders.cause, 'product_not_found');
  await page.waitForURL(/product_not_found/);
  await settled(page, shop.unmatchedOrderId);
  await page.getByRole('link', { name: shop.unmatchedOrderId, exact: true }).click();
  await settled(page, shop.assetNum);
  await page.goBack();
  await settled(page, shop.unmatchedOrderId);
  await page.getByRole('button', { name: `${en.orders.cause}: product_not_found` }).waitFor();
  await page.goForward();
  await settled(page, shop.assetNum);
  expectNoFaults(page);
});

it('the second page of a list has an address of its own', async () => {
  const { page } = await openConsole(stack, 'viewer', '/assets');
  await settled(page);
  const { customer } = shop.center;
  await shop.api.process(batchOf(...Array.from({ length: 60 }, () => newBuy(customer, [newAssetNum()]))));
  await page.reload();
  await settled(page);
  const firstOf = () => rowsOf(page).first().getByRole('link').first().innerText();
  const first = await firstOf();
  await page.getByRole('button', { name: en.kit.nextPage }).click();
  await page.waitForURL(/cursor=/);
  await settled(page);
  const second = await firstOf();
  expect(second).not.toBe(first);
  await page.reload();
  await settled(page, second);
  await page.getByRole('button', { name: en.kit.firstPage }).click();
  await settled(page, first);
  expectNoFaults(page);
});

it.each([
  ['an order', '/orders/999999999999'],
  ['a batch', '/batches/999999999999'],
  ['an asset', '/assets/nothing%2Fof%3Fthe%23kind%20%25'],
  ['an enterprise', '/enterprises/999999999999'],
  ['an application', '/applications/nobody'],
  ['a webhook', '/webhooks/999999999999'],
])('the address of %s that does not exist says so', async (_, path) => {
  const { page } = await openConsole(stack, 'viewer', `${path}`);
  await page.getByRole('main').getByText(en.kit.missing).first().waitFor();
  expectNoFaults(page, { but: /\b404\b/ });
});

it('a number with special characters of URLs links to its asset', async () => {
  const assetNum = `LOCK/7?a=1&b#c%20 ${newAssetNum()}`;
  await shop.api.carryOut(newBuy(shop.center.customer, [assetNum]));
  const { page } = await openConsole(stack, 'viewer', '/assets?assetNum=LOCK');
  await settled(page, assetNum);
  await page.getByRole('link', { name: assetNum, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: assetNum }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: assetNum }).waitFor();
  await settled(page, shop.names.enterprise);
  expectNoFaults(page);
});
