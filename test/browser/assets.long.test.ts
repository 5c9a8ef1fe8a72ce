import { en } from '@lockstep/console/words';
import { afterAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, shot } from '../harness/browser/browser.ts';
import { MARKUP, openShop } from '../harness/browser/console-shop.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { askUserToken } from '../harness/members/member-center.ts';
import { testStack } from '../harness/stack.ts';

/** Assets, enterprises and their administrators, with markup in every name. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const shop = await openShop(stack, MARKUP);
afterAll(() => shop.close());

describe('an asset', () => {
  it('is found by a prefix of its number, and shows its history from purchase through transfer', async () => {
    const { page } = await openConsole(stack, 'viewer', { path: '/console/assets' });
    await page.getByLabel(en.assets.assetNumBegins).fill(shop.assetNum.slice(0, -1));
    await page.getByRole('button', { name: en.kit.apply }).click();
    await page.getByRole('link', { name: shop.assetNum }).click();
    await page.getByText(`Office package ${MARKUP}`).waitFor();
    await page.getByRole('link', { name: `Kim Li ${MARKUP}` }).waitFor();
    await page.getByRole('tab', { name: en.assets.history }).click();
    const line = page.getByRole('list', { name: en.assets.history });
    await line.waitFor();
    const told = await line.getByRole('listitem').allInnerTexts();
    const words = en.assets;
    const expected = [
      words.product_bought,
      words.extended,
      words.transferred,
      ...Array.from({ length: 3 }, () => words.product_bought),
      ...Array.from({ length: 2 }, () => words.merchandise_bought),
      words.created,
    ];
    expect(told.map((text, index) => text.slice(0, expected[index]?.length))).toEqual(expected);
    expect(told[2]).toContain(`Beacon Design ${MARKUP}`);
    expect(new URL(page.url()).searchParams.get('tab')).toBe('history');
    expectNoFaults(page);
  });

  it('links to its enterprise, its employee and its orders', async () => {
    const path = `/console/assets/${shop.assetNum}`;
    const { page } = await openConsole(stack, 'viewer', { path });
    await page.getByRole('link', { name: `Kim Li ${MARKUP}` }).click();
    await page.getByRole('heading', { level: 1, name: `Aurora Engineering ${MARKUP}` }).waitFor();
    const row = page.getByRole('row', { name: `Kim Li ${MARKUP}` });
    await row.getByRole('link', { name: shop.assetNum }).click();
    await page.getByRole('link', { name: en.assets.ordersOfNumber }).click();
    await page.waitForURL((url) => url.pathname === '/console/orders');
    expect(new URL(page.url()).searchParams.get('assetNum')).toBe(shop.assetNum);
    expectNoFaults(page);
  });
});

describe('an administrator', () => {
  const passwordIn = async (text: string) => /[\w-]{24}/.exec(text)![0];

  it('is created by support for an enterprise that has none, and logs in with the password that is shown once', async () => {
    const path = `/console/enterprises/${shop.customer.enterpriseGlobalId}`;
    const { page } = await openConsole(stack, 'support', { path });
    await page.getByRole('button', { name: en.enterprises.create }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: en.enterprises.create }).click();
    const secret = page.getByRole('dialog', { name: en.enterprises.newLogin });
    await secret.waitFor();
    await expectAccessible(page);
    await shot(page, 'first-administrator');
    const text = await secret.innerText();
    const account = /admin@\w+/.exec(text)![0];
    const password = await passwordIn(text);
    expect((await askUserToken(stack.baseUrl, shop.api.credentials, { account, password })).status).toBe(200);
    await secret.getByRole('button', { name: en.kit.saved }).click();
    await page.getByRole('cell', { name: account }).waitFor();
    expect(await page.content()).not.toContain(password);
    await page.getByRole('tab', { name: en.enterprises.auditLog }).click();
    await page.getByRole('cell', { name: en.enterprises.operator }).waitFor();
    expectNoFaults(page);
  });

  it('gets a new password after a confirmation', async () => {
    const path = `/console/enterprises/${shop.center.enterpriseId}`;
    const { page } = await openConsole(stack, 'support', { path });
    await page.getByRole('button', { name: en.enterprises.reset }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(en.enterprises.resetAdvice).waitFor();
    await dialog.getByRole('button', { name: en.enterprises.reset }).click();
    const secret = page.getByRole('dialog', { name: en.enterprises.newLogin });
    const password = await passwordIn(await secret.innerText());
    const { account } = shop.center;
    expect((await askUserToken(stack.baseUrl, shop.api.credentials, { account, password })).status).toBe(200);
    expectNoFaults(page);
  });

  it('gets none from a viewer', async () => {
    const path = `/console/enterprises/${shop.center.enterpriseId}`;
    const { page } = await openConsole(stack, 'viewer', { path });
    await page.getByRole('cell', { name: shop.center.account }).waitFor();
    expect(await page.getByRole('button', { name: en.enterprises.reset }).count()).toBe(0);
    expectNoFaults(page);
  });
});
