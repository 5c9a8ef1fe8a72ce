import { en } from '@lockstep/console/words';
import { expect, it } from 'vitest';
import { openConsole } from '../harness/browser/browser.ts';
import { filterBy, look, lookInEveryView, said } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Channels in a real browser: found on the overview, paused and resumed. */
const CODE = 'web / <b>Öst</b> 100%';

const { stack, api } = await testStack({ worker: false });
await stack.db
  .insertInto('channel')
  .values([{ code: CODE }, ...Array.from({ length: 120 }, (_, index) => ({ code: `shop-${index}` }))])
  .execute();
await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));

it('a channel is paused and resumed by the keyboard alone, and the overview names it', async () => {
  const { page } = await openConsole(stack, 'support', '/channels');
  await said(page, en.kit.nextPage);
  await look(page, 'channels-many');
  await filterBy(page, en.channels.search, 'öst');
  await page.getByRole('link', { name: CODE }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: CODE }).waitFor();
  await page.getByRole('button', { name: en.channels.pause }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: en.channels.pause });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox', { name: en.channels.reason }).focus();
  await page.keyboard.type('ticket 4711');
  await look(page, 'channel-pause');
  await confirm.focus();
  await page.keyboard.press('Enter');
  await said(page, en.channels.pauseDone(CODE));
  await said(page, en.channels.pausedTitle(CODE));
  await page.getByText(/ticket 4711/).waitFor();
  await look(page, 'channel-paused');

  await page.getByRole('link', { name: en.shell.overview }).click();
  await page.getByRole('link', { name: en.channels.allPaused('1') }).waitFor();
  await look(page, 'overview-paused');
  await page.getByRole('link', { name: CODE }).click();
  await page.getByRole('link', { name: en.channels.changes }).click();
  await said(page, 'ticket 4711');
  await page.getByRole('link', { name: CODE }).click();
  await page.getByRole('button', { name: en.channels.resume }).click();
  await dialog.getByRole('button', { name: en.channels.resume }).click();
  await said(page, en.channels.resumeDone(CODE));
  await page.getByRole('button', { name: en.channels.pause }).waitFor();
  expectNoFaults(page);
});

it('a viewer sees what waits in a channel, and no way to pause it', async () => {
  const { page } = await openConsole(stack, 'viewer', '/channels?search=test');
  await page.getByRole('link', { name: 'test', exact: true }).click();
  await page.locator('main dl').waitFor();
  await page.getByText('Test', { exact: true }).first().waitFor();
  await lookInEveryView(page, 'channel', async (words) => {
    expect(await page.getByRole('button', { name: words.channels.pause, exact: true }).count()).toBe(0);
  });
});
