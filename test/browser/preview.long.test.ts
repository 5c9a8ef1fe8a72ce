import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { en } from '@lockstep/console/words';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, shot } from '../harness/browser/browser.ts';
import { MARKUP, openShop } from '../harness/browser/console-shop.ts';
import { settled } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, deleteProduct, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** The preview of a batch that is pasted, chosen or dropped, and of input that is not a batch. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const shop = await openShop(stack);
const directory = await mkdtemp(join(tmpdir(), 'lockstep-preview-'));
afterAll(() => rm(directory, { recursive: true }));

const openPreview = async () => (await openConsole(stack, 'viewer', '/preview')).page;
const show = (page: Page) => page.getByRole('button', { name: en.preview.preview }).click();

/** Chooses a file by the button. */
async function choose(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const file = join(directory, name);
  await writeFile(file, content);
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText(`${name} (`).waitFor();
}

/** Two orders that would fail and two that would not. */
function mixedBatch() {
  const { customer } = shop.center;
  const products = [productToBuy({ productName: `Planner ${MARKUP}`, productUri: MARKUP })];
  return batchOf(
    newBuy(customer, [newAssetNum()], {}, { products }),
    newBuy(customer, [shop.assetNum]),
    deleteProduct(customer, [shop.assetNum], {
      productUri: 'gms-100',
      limitConcurrent: 7,
      strictMatchWhenDelete: true,
    }),
    newBuy({ ...customer, customerId: '999999' }, [newAssetNum()]),
  );
}

describe('a batch', () => {
  it('that is pasted is shown order by order, beside the current state', async () => {
    const page = await openPreview();
    const { orderList, ...batch } = mixedBatch();
    const sync = { ...batch, syncMode: 'sync', orderList };
    await page.getByLabel(en.preview.orPaste).fill(JSON.stringify(sync));
    await show(page);
    await settled(page, en.preview.noneOfSync('2'));
    const row = page.locator('tbody tr').nth(2);
    expect(await row.innerText()).toContain(en.preview.fail);
    await row.getByRole('button', { name: en.preview.beside }).click();
    await settled(page, en.preview.currentState);
    await page.getByRole('row', { name: 'limitConcurrent 7 1' }).first().waitFor();
    // The address holds the selection.
    expect(new URL(page.url()).search).toBe(`?order=${orderList[2]!.sequence}`);
    await shot(page, 'preview-outcome', { isWhole: true });
    await expectAccessible(page);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expectNoFaults(page);
    // Nothing was changed.
    const buys = await stack.db.selectFrom('batch').select('id').where('channel_order_id', '=', batch.channelOrderId);
    expect(await buys.execute()).toEqual([]);
  });

  it('may be a file, with a byte order mark', async () => {
    const page = await openPreview();
    await choose(page, 'batch.json', `\uFEFF${JSON.stringify(mixedBatch())}`);
    await show(page);
    await settled(page, en.preview.wouldFail);
    expectNoFaults(page);
  });

  it('may be dropped', async () => {
    const page = await openPreview();
    const text = JSON.stringify(mixedBatch());
    await settled(page);
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(text)}], 'dropped.json', { type: 'application/json' }));
      return transfer;
    })()`);
    const place = page.getByText(en.preview.dropHere);
    await place.dispatchEvent('dragover', { dataTransfer: dropped });
    await place.dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('dropped.json (').waitFor();
    await show(page);
    await settled(page, en.preview.wouldFail);
    expectNoFaults(page);
  });

  it('of 2,000 orders shows some rows at a time', async () => {
    const page = await openPreview();
    const { customer } = shop.center;
    const orders = Array.from({ length: 2_000 }, () => newBuy(customer, [newAssetNum()]));
    await choose(page, 'large.json', JSON.stringify(batchOf(...orders)));
    await show(page);
    await settled(page, '2,000');
    expect(await page.locator('tbody tr').count()).toBe(200);
    await page.getByRole('button', { name: en.kit.moreRows }).click();
    expect(await page.locator('tbody tr').count()).toBe(400);
    expectNoFaults(page);
  });
});

describe('invalid input', () => {
  it.each([
    ['nonsense', 'Hello, world', /JSON/],
    ['an empty list', '[]', /./],
    ['another shape', '{"orders": [{"id": 7}]}', /channelCode|orderList/],
    ['a wrong field', JSON.stringify(batchOf({ sequence: 'one' })), /orderList\[0\]/],
    ['a null', 'null', /./],
  ])('%s is refused with a reason', async (_, text, says) => {
    const page = await openPreview();
    await page.getByLabel(en.preview.orPaste).fill(text);
    await show(page);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(says);
    // It is below the form, so the page scrolls to it.
    await page.waitForFunction("document.activeElement?.querySelector('[role=alert]') !== null");
    await expectAccessible(page);
    expectNoFaults(page, { but: /\b(299|400|413|422)\b/ });
  });

  it('more than 4 MiB is refused before it is sent, and 4 MiB of nonsense by the service', async () => {
    const page = await openPreview();
    const limit = 4 * 1024 * 1024;
    const file = join(directory, 'too-large.json');
    await writeFile(file, Buffer.alloc(limit + 1, 0x20));
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('alert').waitFor();
    await choose(page, 'just-so.json', Buffer.alloc(limit, 'x'));
    await show(page);
    const alert = page.getByRole('alert');
    await alert.getByText(/JSON/).first().waitFor({ timeout: 60_000 });
    // The service still works.
    await page.goto('/console/');
    await settled(page, en.overview.pendingOrders);
  });

  it('no input at all is refused', async () => {
    const page = await openPreview();
    await show(page);
    await page.getByRole('alert').getByText(en.preview.nothingGiven).waitFor();
    expectNoFaults(page);
  });
});
