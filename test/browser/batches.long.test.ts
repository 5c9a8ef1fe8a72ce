import { readFile } from 'node:fs/promises';
import { en } from '@lockstep/console/words';
import { describe, expect, it } from 'vitest';
import { Api } from '../harness/api.ts';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { NARROW_PIXELS, openConsole, shot, type View } from '../harness/browser/browser.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { answer, filterBy, press, said } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { expectFits } from '../harness/browser/page-width.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Batches and orders in a real browser: watched, cancelled, fixed and resent. */
const MARKUP = '<img src=x onerror=i()> & "Co"';

const { stack } = await testStack();
const admin = await ConsoleClient.logIn(stack, 'admin');
const body = { name: MARKUP, scopes: ['auth_order' as const], channels: null, isApproved: true };
const api = await Api.logIn(stack.baseUrl, await admin.call('createApplication', { body }));
const customer = await api.newCustomer(`Enterprise ${MARKUP}`);
const assetNum = newAssetNum();
const products = [productToBuy({ productName: MARKUP, limitEndDate: 2e12 })];
const batch = {
  ...batchOf(
    newBuy(customer, [assetNum], {}, { products }),
    deleteProduct(customer, [assetNum], { limitEndDate: 1.9e12, strictMatchWhenDelete: true }),
    ...Array.from({ length: 3 }, () => deleteAsset(customer, [newAssetNum()])),
    newBuy(customer, [newAssetNum()], { licenseType: 'softkey' }),
    newBuy(customer, [assetNum], { licenseType: 'softkey' }, { products: [productToBuy({ passwords: ['secret'] })] }),
  ),
  channelOrderId: `spring ${MARKUP}`,
};
const [bought, unmatched] = (await api.process(batch)).map(({ licenseOrderId }) => licenseOrderId);
const { batchId } = await admin.call('getOrder', { params: { licenseOrderId: bought! } });

const open = (path: string, view?: View) => openConsole(stack, 'support', path, view);

describe('a batch', () => {
  it('is found by its number, and its failures lead to their orders', async () => {
    const { page } = await open('/batches');
    await filterBy(page, en.batches.channelOrderId, 'spring*');
    await said(page, en.batches.together('spring*'));
    await said(page, en.batches.of('1', '1'));
    await page.getByRole('link', { name: batch.channelOrderId }).click();
    await said(page, 'asset_not_found');
    await page.getByRole('link', { name: en.batches.showThese('asset_not_found') }).click();
    await page.waitForURL(/state=failed&cause=asset_not_found/);
    await expect.poll(() => page.getByRole('link', { name: /^\d{4,9}$/ }).count()).toBe(3);
    await page.goBack();
    await expect.poll(() => page.getByRole('link', { name: /^\d{4,9}$/ }).count()).toBe(7);
    expectNoFaults(page);
  });

  it('is watched until it is completed, and cancelled', async () => {
    const { stack: idle, api: sender } = await testStack({ worker: false });
    const buyer = await sender.newCustomer();
    const [watched, unwanted] = [batchOf(newBuy(buyer, [newAssetNum()])), batchOf(newBuy(buyer, [newAssetNum()]))];
    await sender.accept(watched);
    await sender.accept(unwanted);
    const { page } = await openConsole(idle, 'support', '/batches?state=accepted');
    await page.getByRole('link', { name: unwanted.channelOrderId }).click();
    await press(page, en.batches.cancel);
    await page.getByRole('heading', { name: en.batches.cancelTitle('1') }).waitFor();
    await shot(page, 'batch-cancel');
    await expectAccessible(page);
    await answer(page, en.batches.cancelConfirm);
    await said(page, en.batches.cancelled('1'));
    await said(page, en.states.completed);
    await page.getByRole('link', { name: en.shell.batches, exact: true }).first().click();
    await page.getByRole('link', { name: watched.channelOrderId }).click();
    await page.getByRole('progressbar').waitFor();
    await shot(page, 'batch-running');
    await idle.startWorker();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await said(page, en.states.completed);
    expect(await page.getByRole('button', { name: en.batches.cancel }).count()).toBe(0);
    expectNoFaults(page);
  });

  it('has its failed orders saved as a file', async () => {
    const { page } = await open(`/batches/${batchId}`);
    const saving = page.waitForEvent('download');
    await press(page, en.batches.download);
    expect((await saving).suggestedFilename()).toMatch(/^failed-spring .*\.json$/);
    expectNoFaults(page);
  });
});

describe('a list', () => {
  it('is exported as filtered, and says why it cannot be', async () => {
    const { page } = await open(`/batches/${batchId}?state=failed`);
    const saving = page.waitForEvent('download');
    await press(page, en.kit.exportCsv);
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('batch-orders.csv');
    const lines = (await readFile(await saved.path(), 'utf8')).split('\r\n');
    expect(lines).toHaveLength(1 + 5 + 1);
    expect(lines[0]!.split(',')).toEqual(expect.arrayContaining(['code', 'cause', 'message']));

    await page.route('**/api/batches/**/orders**', (route) => route.abort('connectionreset'));
    await press(page, en.kit.exportCsv);
    await said(page, en.kit.unreachable);
    await expectAccessible(page);
  });
});

it('orders are chosen by Space, Shift and a click, then exported, or sent again batch by batch', async () => {
  const { page } = await open(`/batches/${batchId}`);
  const box = (place: number) => page.locator('tbody').getByRole('checkbox').nth(place);
  const bar = page.getByRole('group', { name: en.kit.selection });
  await box(1).press('Space');
  await said(page, en.kit.selected('1'));
  await page.keyboard.press('ArrowDown');
  expect(await box(2).evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);
  await box(3).click({ modifiers: ['Shift'] });
  await said(page, en.kit.selected('3'));
  const saving = page.waitForEvent('download');
  await press(page, en.orders.exportThese);
  const lines = (await readFile(await (await saving).path(), 'utf8')).split('\r\n');
  const sequences = batch.orderList.slice(1, 4).map(({ sequence }) => String(sequence));
  expect(lines.map((line) => line.split(',')[0])).toEqual([expect.any(String), ...sequences, '']);
  await box(0).click();
  await said(page, en.orders.notSent('1'));
  await shot(page, 'orders-chosen');
  await expectAccessible(page);
  await bar.getByRole('link', { name: en.batches.sendThese }).click();
  await said(page, en.resend.chosen);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(3);

  await api.process(batchOf(deleteAsset(customer, [newAssetNum()])));
  await page.goto(`/console/orders?customerId=${customer.customerId}&state=failed`);
  await page.getByRole('checkbox', { name: en.kit.selectAll }).click();
  await bar.getByRole('button', { name: en.batches.sendThese }).click();
  await page.getByRole('menuitem', { name: `${batch.channelOrderId}: ${en.batches.ordersOf('5')}` }).waitFor();
  expect(await page.getByRole('menuitem').count()).toBe(2);
  expectNoFaults(page);
});

describe('failed orders', () => {
  it('are fixed, checked and resent; leaving with changes asks', async () => {
    const { page } = await open(`/batches/${batchId}`);
    await page.getByRole('link', { name: en.batches.resend }).click();
    const editor = page.getByLabel(en.resend.orders);
    await said(page, en.resend.hidden('1'));
    // Each order has the fields that its failure is about, and the rest as JSON.
    const type = page.locator('tbody tr').last().getByRole('textbox', { name: 'licenseType' });
    await press(page, en.resend.takeTypes(1));
    expect(await type.inputValue()).toBe('normal_recover_usbkey');
    await type.fill('lk_auth_usbkey');
    await page.getByRole('button', { name: en.resend.leaveOut }).nth(1).click();
    await expectAccessible(page);
    await page.getByRole('checkbox', { name: en.resend.asJson }).press('Space');
    await expect.poll(() => editor.inputValue()).toContain('"licenseType": "lk_auth_usbkey"');
    const [first, ...others] = JSON.parse(await editor.inputValue()) as { licenseType: string }[];
    await editor.fill('{');
    await said(page, en.resend.notJson);
    await page.getByRole('link', { name: en.shell.assets }).first().click();
    await page.getByRole('heading', { name: en.resend.leaveTitle }).waitFor();
    await expectAccessible(page);
    await answer(page, en.resend.stay);
    const last = { ...others.at(-1)!, licenseType: 'normal_recover_usbkey' };
    await editor.fill(JSON.stringify([first, last]));
    await press(page, en.resend.check);
    await said(page, en.resend.wouldSucceed('1', '2'));
    // Otherwise the header covers part of a link, which then counts as too small.
    await page.evaluate('scrollTo(0, 0)');
    await shot(page, 'resend-checked');
    await expectAccessible(page);
    // What would fail can be left out at once.
    await press(page, en.resend.leaveThese('1'));
    await press(page, en.resend.check);
    await said(page, en.resend.wouldSucceed('1', '1'));
    await page.getByRole('checkbox', { name: en.resend.asJson }).press('Space');
    await page.getByLabel(en.resend.newNumber).fill('spring again');
    await said(page, en.resend.changedSince);
    await editor.fill(JSON.stringify([last]));
    await press(page, en.resend.check);
    await said(page, en.resend.wouldSucceed('1', '1'));
    await press(page, en.resend.send);
    await answer(page, en.resend.send);
    await page.getByRole('heading', { level: 1, name: /spring again$/ }).waitFor();
    await said(page, en.states.completed);
    await said(page, en.states.succeeded);
    await page.goto(`/console/batches/${batchId}?state=failed`);
    await said(page, en.batches.resentOf('1', '5'));
    await page.getByText(en.orders.resentAs).waitFor();
    // The audit log holds what was changed.
    await page.goto(`/console/audit-log?target=${batchId}&action=batch.resent`);
    await page.getByText(en.auditLog.leftOut(4)).waitFor();
    await page.getByText(/licenseType: softkey → normal_recover_usbkey$/).waitFor();
    await shot(page, 'audit-log-of-resend');
    await expectAccessible(page);
    expectNoFaults(page);
  });

  it('show the closest products, with both values', async () => {
    const { page } = await open(`/orders/${unmatched}`);
    const row = page.getByRole('row', { name: /limitEndDate/ }).first();
    await row.waitFor();
    expect(await row.locator('time').evaluateAll((all) => all.map((each) => each.getAttribute('datetime')))).toEqual([
      new Date(1.9e12).toISOString(),
      new Date(2e12).toISOString(),
    ]);
    expectNoFaults(page);
  });
});

it('a viewer can look, and neither download, cancel nor send', async () => {
  const { page } = await openConsole(stack, 'viewer', `/batches/${batchId}`);
  await said(page, en.states.completed);
  expect(await page.getByRole('button', { name: en.batches.download }).count()).toBe(0);
  expect(await page.getByRole('link', { name: en.batches.resend }).count()).toBe(0);
  await page.getByRole('checkbox', { name: en.kit.selectAll }).click();
  await page.getByRole('button', { name: en.orders.exportThese }).waitFor();
  expect(await page.getByText(en.batches.sendThese).count()).toBe(0);
  expectNoFaults(page);
});

it('a failed order fits a narrow window; its request scrolls on its own', async () => {
  const { page } = await open(`/orders/${unmatched}`, { widthPixels: NARROW_PIXELS });
  await page.getByRole('group', { name: en.orders.contentJson }).waitFor();
  const overflow = `getComputedStyle(document.querySelector('[aria-label="${en.orders.contentJson}"][tabindex]')).overflow`;
  expect(await page.evaluate(overflow)).toBe('auto');
  await expectFits(page);
});

it('searching for a full id opens its page', async () => {
  const { page } = await open('/');
  await press(page, en.shell.search);
  await page.getByRole('combobox', { name: en.shell.search }).fill(bought!);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: `${en.orders.order} ${bought}` }).waitFor();
  await said(page, en.orders.effects);
  expectNoFaults(page);
});
