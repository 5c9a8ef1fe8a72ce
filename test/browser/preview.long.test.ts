import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Customer } from '@lockstep/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import type { Api } from '../harness/api.ts';
import { openConsole, shot } from '../harness/browser.ts';
import { batchOf, deleteProduct, newAssetNum, newBuy, productToBuy } from '../harness/orders.ts';
import { expectNoFaults } from '../harness/page-faults.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { syncOf } from '../harness/sync-batches.ts';

/** "What would happen?", with a batch that a reader has in hand. */
let stack: Stack;
let api: Api;
let customer: Customer;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
  customer = await api.newCustomer();
});
afterAll(() => stack.close());

const open = async () => (await openConsole(stack, 'viewer', { path: '/console/preview' })).page;
const show = (page: Page) => page.getByRole('button', { name: 'Show what would happen' }).click();
const paste = (page: Page, text: string) => page.getByLabel('Or paste the batch here').fill(text);
/** Chooses a file with this content. It goes by the disk: the browser's protocol takes long for many megabytes. */
async function choose(page: Page, content: string | Buffer): Promise<void> {
  const path = join(inject('directory'), `${randomUUID()}.json`);
  await writeFile(path, content);
  await page.getByLabel('choose a file').setInputFiles(path);
}
const outcome = (page: Page) => page.getByRole('table', { name: 'What would happen' });

describe('a pasted batch', () => {
  it('shows what each order would do, and one beside what is there', async () => {
    const bought = newAssetNum();
    await api.carryOut(newBuy(customer, [bought], {}, { products: [productToBuy({ limitConcurrent: 5 })] }));
    const wanted = deleteProduct(customer, [bought], { limitConcurrent: 3, strictMatchWhenDelete: true });
    const page = await open();
    await paste(page, JSON.stringify(syncOf(newBuy(customer, [newAssetNum()]), wanted)));
    await show(page);
    await outcome(page).waitFor();
    await page.getByText('1 of its orders would fail: so none would take effect').waitFor();
    await page.getByRole('button', { name: `Compare order ${wanted.sequence} with what is there` }).click();
    const beside = page.getByRole('region', { name: `Order ${wanted.sequence}` });
    // Both values of the field that differs, and the product that is there.
    await beside.getByRole('row', { name: 'limitConcurrent 3 5' }).waitFor();
    await beside.getByText('Cost Estimator').waitFor();
    await shot(page, 'preview-compared');
    // What the head of the page covers half would count as too small to be hit.
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessible(page);
    expectNoFaults(page);
    // How it is looked at stands in the address.
    expect(new URL(page.url()).search).toBe(`?order=${wanted.sequence}`);
  });

  it.each([
    ['nonsense', 'is it a batch?', 'The body is not valid JSON.'],
    ['another shape', '{"orders": []}', 'channelCode: is required'],
  ])('is refused with what is wrong with it: %s', async (_what, text, reason) => {
    const page = await open();
    await paste(page, text);
    await show(page);
    await page.getByRole('alert').getByText(reason).waitFor();
    await expectAccessible(page);
    expectNoFaults(page, { but: /400/ });
  });
});

describe('a file', () => {
  it('may have 5,000 orders, of which those in sight are in the page', async () => {
    const orders = Array.from({ length: 5_000 }, () => newBuy(customer, [newAssetNum()]));
    const page = await open();
    await choose(page, JSON.stringify(batchOf(...orders)));
    await show(page);
    await outcome(page).waitFor();
    expect(await outcome(page).getAttribute('aria-rowcount')).toBe('5001');
    expect(await outcome(page).getByRole('row').count()).toBeLessThan(200);
    await page.getByRole('group', { name: 'What would happen' }).press('End');
    await outcome(page)
      .getByRole('button', { name: `Compare order ${orders.at(-1)?.sequence} ` })
      .waitFor();
    expectNoFaults(page);
  });

  it('can be dropped', async () => {
    const page = await open();
    const batch = JSON.stringify(batchOf(newBuy(customer, [newAssetNum()])));
    // What a browser has and Node.js has not is made in the page.
    const dataTransfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(batch)}], 'dropped.json'));
      return transfer;
    })()`);
    await page.getByText('Drop a file here').dispatchEvent('drop', { dataTransfer });
    await page.getByText('dropped.json').waitFor();
    await show(page);
    await outcome(page).waitFor();
    expectNoFaults(page);
  });

  it('is refused before it is sent when it is larger than a batch may be', async () => {
    const page = await open();
    await choose(page, Buffer.alloc(32 * 1024 * 1024 + 1, ' '));
    await page.getByRole('alert').getByText('a batch may have 32 MiB at most').waitFor();
    expectNoFaults(page);
  });

  it('is sent when it is just as large as a batch may be', async () => {
    const page = await open();
    await choose(page, Buffer.alloc(32 * 1024 * 1024, ' '));
    await show(page);
    await page.getByRole('alert').getByText('The body is not valid JSON.').waitFor();
    expectNoFaults(page, { but: /400/ });
  });
});
