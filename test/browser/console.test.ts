import { en } from '@lockstep/console/words';
import { it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { fillInLogin, openPage } from '../harness/browser/browser.ts';
import { newOperator } from '../harness/browser/console.ts';
import { settled } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** The most common path through the console in a real browser. `npm run test:long` visits the other pages. */

const { stack } = await testStack();

it('leads from the login and the overview to a batch and its failed order', async () => {
  const api = await stack.newApi();
  const customer = await api.newCustomer();
  const batch = batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]));
  const [, failed] = await api.process(batch);
  const page = await openPage(stack, '/');
  await page.locator('main a[href$="/console"]').first().click();
  await fillInLogin(page, await newOperator(stack, 'viewer'));
  await settled(page, en.overview.pendingOrders);
  await expectAccessible(page);
  await page.getByRole('link', { name: en.shell.batches, exact: true }).click();
  await page.getByRole('link', { name: batch.channelOrderId }).click();
  await settled(page, 'asset_not_found');
  await expectAccessible(page);
  await page.getByRole('link', { name: failed!.licenseOrderId, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: new RegExp(`\\b${failed!.licenseOrderId}$`) }).waitFor();
  expectNoFaults(page);
});
