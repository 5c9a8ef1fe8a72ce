import type { Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { openConsole, type View } from '../harness/browser/browser.ts';
import { look } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** Orders that cannot be applied, in a real browser: found on the overview, and ended by an operator. */
let stack: Stack;
let api: Api;
let customer: Customer;
let batch: ReturnType<typeof batchOf>;
let heldId: string;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  customer = await api.newCustomer();
  await sql`alter table product_instance add constraint stricter check (crm_product_id <> 'Strict')`.execute(stack.db);
  const assetNum = newAssetNum();
  batch = batchOf(
    newBuy(customer, [assetNum], {}, { products: [productToBuy({ crmProductId: 'Strict' })] }),
    newBuy(customer, [assetNum]),
    deleteAsset(customer, [assetNum]),
    newBuy(await api.newCustomer(), [newAssetNum()]),
  );
  const [first] = await api.accept(batch);
  heldId = first!.licenseOrderId;
  await vi.waitUntil(async () => (await readResult(api, batch)).held === 3, { timeout: 60_000 });
});
afterAll(() => stack.close());

const open = (path: string, role: 'viewer' | 'support', view: View = {}) =>
  openConsole(stack, role, { ...view, path: `/console${path}` });
const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

it.each([
  ['chinese', { language: 'zh-CN' }, '查看被搁置的客户。', '搁置时间'],
  ['narrow', { widthPixels: 390 }, 'See who is held.', 'Held since'],
] as const)('held orders are shown in %s', async (name, view, link, since) => {
  const { page } = await open('/', 'viewer', view);
  await page.getByRole('link', { name: link }).click();
  await said(page, customer.customerId);
  await look(page, `holds-${name}`);
  await page.getByRole('link', { name: heldId }).click();
  await page.locator('dt', { hasText: since }).waitFor();
  await look(page, `order-held-${name}`);
  expect(await page.getByRole('button', { name: /End as failed|置为失败/ }).count()).toBe(0);
});

it('a held order is ended with a reason, once it is said what becomes of the later ones', async () => {
  const { page } = await open('/', 'support');
  await said(page, /Customers with an order that cannot be applied: 1/);
  await look(page, 'overview-held');
  await page.getByRole('link', { name: 'See who is held.' }).click();
  await look(page, 'holds');
  await page.getByRole('link', { name: heldId }).click();
  await page.locator('dt', { hasText: 'Held since' }).waitFor();
  await page.getByRole('button', { name: 'End as failed' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'End as failed' });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('ticket 4711');
  await confirm.click();
  await said(page, 'The customer has later pending orders: 2.');
  expect(await confirm.isDisabled()).toBe(true);
  await look(page, 'order-fail');
  await dialog.getByRole('combobox').selectOption('keep');
  await confirm.click();
  await said(page, 'The order has failed.');
  await said(page, 'internal_error');
  await vi.waitUntil(async () => (await readResult(api, batch)).state === 'completed', { timeout: 60_000 });
  expect(await readResult(api, batch)).toMatchObject({ succeeded: 3, failed: 1, held: 0 });
  await page.goto(`/console/record?target=${heldId}`);
  await said(page, 'ticket 4711');
  await page.getByTitle('order.failed').waitFor();
  expectNoFaults(page);
});
