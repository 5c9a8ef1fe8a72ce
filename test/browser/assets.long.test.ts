import { en } from '@lockstep/console/words';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, shot } from '../harness/browser/browser.ts';
import { MARKUP, openShop } from '../harness/browser/console-shop.ts';
import { answer, filterBy, heading, press, said } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { askUserToken } from '../harness/oauth.ts';
import { newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Assets, enterprises and their administrators, with markup in every name. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const shop = await openShop(stack, MARKUP);

describe('an asset', () => {
  it('is found by a prefix of its number, and shows its history from purchase through transfer', async () => {
    const { page } = await openConsole(stack, 'viewer', '/assets');
    await filterBy(page, en.assets.assetNumBegins, shop.assetNum.slice(0, -1));
    await page.getByRole('link', { name: shop.assetNum }).click();
    await said(page, `Office package ${MARKUP}`);
    await said(page, `${en.assets.notUsable}: ${en.assets.lentInto.toLowerCase()} USB-`);
    const line = page.getByRole('list', { name: en.assets.history });
    await line.waitFor();
    const told = await line.getByRole('listitem').allInnerTexts();
    const words = en.assets;
    const expected = [
      words.lent,
      words.assigned,
      words.product_bought,
      words.extended,
      words.transferred,
      ...Array.from({ length: 3 }, () => words.product_bought),
      ...Array.from({ length: 2 }, () => words.merchandise_bought),
      words.created,
    ];
    expect(told.map((text, index) => text.slice(0, expected[index]?.length))).toEqual(expected);
    expect(told[4]).toContain(`Beacon Design ${MARKUP}`);
    expectNoFaults(page);
  });

  it('that has expired says so first, and is not shown as active', async () => {
    const assetNum = `${shop.assetNum}-2`;
    await shop.api.carryOut(newBuy(shop.customer, [assetNum], {}, { limitEndDate: Date.UTC(2020, 0) }));
    const { page } = await openConsole(stack, 'viewer', `/assets?assetNum=${assetNum}`);
    const row = page.getByRole('row').filter({ hasText: assetNum });
    await row.getByText(en.reasons.expired, { exact: true }).waitFor();
    expect(await row.getByText(en.states.active, { exact: true }).count()).toBe(0);
    await row.getByRole('link', { name: assetNum }).click();
    await said(page, /^Can’t be used now: expired 6 yr.*, unassigned/);
    expect(await page.getByText(en.states.active, { exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await shot(page, 'expired-asset');
    expectNoFaults(page);
  });

  it('links to its enterprise, its employee and its orders', async () => {
    const { page } = await openConsole(stack, 'viewer', `/assets/${shop.assetNum}`);
    await page
      .getByRole('link', { name: `Kim Li ${MARKUP}` })
      .first()
      .click();
    await heading(page, `Aurora Engineering ${MARKUP}`).waitFor();
    const row = page.getByRole('row', { name: `Kim Li ${MARKUP}` });
    await row.getByRole('link', { name: shop.assetNum }).click();
    await page.getByRole('link', { name: en.assets.whoHadIt }).click();
    const holdings = page.getByRole('table', { name: en.enterprises.holdings });
    await holdings.getByRole('link', { name: shop.assetNum }).first().click();
    await page.getByRole('link', { name: en.assets.ordersOfNumber }).click();
    await page.waitForURL((url) => url.pathname === '/console/orders');
    expect(new URL(page.url()).searchParams.get('assetNum')).toBe(shop.assetNum);
    expectNoFaults(page);
  });
});

it('an enterprise shows its seats, and who had which of its assets when', async () => {
  const { page } = await openConsole(stack, 'viewer', `/enterprises/${shop.center.enterpriseId}?tab=seats`);
  const seats = page.getByRole('table', { name: en.enterprises.seatsByProduct });
  expect(await seats.getByRole('row').nth(1).innerText()).toContain('gms-');
  await expectAccessible(page);
  await shot(page, 'seats');
  await page.getByRole('tab', { name: en.enterprises.employees }).click();
  const kim = page.getByRole('row').filter({ hasText: 'Kim Li' });
  await kim.getByRole('link', { name: 'Kim Li' }).click();
  await page.getByRole('cell', { name: en.enterprises.loan }).first().waitFor();
  await expectAccessible(page);
  await shot(page, 'holdings');
});

describe('an administrator', () => {
  const passwordIn = (text: string) => /[\w-]{24}/.exec(text)![0];

  it('is created by support for an enterprise that has none, and logs in with the password that is shown once', async () => {
    const { page } = await openConsole(stack, 'support', `/enterprises/${shop.customer.enterpriseGlobalId}`);
    await press(page, en.enterprises.create);
    await answer(page, en.enterprises.create);
    const secret = page.getByRole('dialog', { name: en.enterprises.newLogin });
    await secret.waitFor();
    await expectAccessible(page);
    await shot(page, 'first-administrator');
    const text = await secret.innerText();
    const account = /admin@\w+/.exec(text)![0];
    const password = passwordIn(text);
    expect((await askUserToken(stack.baseUrl, shop.api.credentials, { account, password })).status).toBe(200);
    await secret.getByRole('button', { name: en.kit.saved }).click();
    await page.getByRole('tab', { name: en.enterprises.about }).click();
    await page.getByRole('cell', { name: account }).waitFor();
    expect(await page.content()).not.toContain(password);
    await page.getByRole('tab', { name: en.enterprises.auditLog }).click();
    await page.getByRole('cell', { name: en.enterprises.operator }).waitFor();
    expectNoFaults(page);
  });

  it('gets a new password after a confirmation', async () => {
    const { page } = await openConsole(stack, 'support', `/enterprises/${shop.center.enterpriseId}?tab=about`);
    await press(page, en.enterprises.reset);
    await page.getByRole('dialog').getByText(en.enterprises.resetAdvice).waitFor();
    await answer(page, en.enterprises.reset);
    const secret = page.getByRole('dialog', { name: en.enterprises.newLogin });
    const password = passwordIn(await secret.innerText());
    const { account } = shop.center;
    expect((await askUserToken(stack.baseUrl, shop.api.credentials, { account, password })).status).toBe(200);
    expectNoFaults(page);
  });

  it('gets none from a viewer', async () => {
    const { page } = await openConsole(stack, 'viewer', `/enterprises/${shop.center.enterpriseId}?tab=about`);
    await page.getByRole('cell', { name: shop.center.account }).waitFor();
    expect(await page.getByRole('button', { name: en.enterprises.reset }).count()).toBe(0);
    expectNoFaults(page);
  });
});
