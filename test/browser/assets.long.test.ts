import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, shot } from '../harness/browser/browser.ts';
import { MARKUP, openShop, type Shop } from '../harness/browser/console-shop.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { askUserToken } from '../harness/members/member-center.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** Assets, enterprises and their administrators, as support finds them; every name holds markup. */
let stack: Stack;
let shop: Shop;

beforeAll(async () => {
  stack = await startStack({ webhookAllowPrivate: true });
  shop = await openShop(stack, MARKUP);
});
afterAll(async () => {
  await shop.close();
  await stack.close();
});

describe('an asset', () => {
  it('is found by the beginning of its number, and told from purchase over transfer to today', async () => {
    const { page } = await openConsole(stack, 'viewer', { path: '/console/assets' });
    await page.getByLabel('Number or beginning').fill(shop.assetNum.slice(0, -1));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: shop.assetNum }).click();
    await page.getByText(`Office package ${MARKUP}`).waitFor();
    await page.getByRole('link', { name: `Kim Li ${MARKUP}` }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    const line = page.getByRole('list', { name: 'History' });
    await line.waitFor();
    const told = await line.getByRole('listitem').allInnerTexts();
    const actions = told.map(
      (text) => /^(Products added to it|Bought|Transferred|(?:Product|Merchandise) bought)/.exec(text)?.[0],
    );
    expect(actions).toEqual([
      'Product bought',
      'Products added to it',
      'Transferred',
      ...Array.from({ length: 3 }, () => 'Product bought'),
      ...Array.from({ length: 2 }, () => 'Merchandise bought'),
      'Bought',
    ]);
    expect(told[2]).toContain(`Beacon Design ${MARKUP}`);
    expect(new URL(page.url()).searchParams.get('tab')).toBe('history');
    expectNoFaults(page);
  });

  it('leads to its enterprise, its employee and the orders that name it', async () => {
    const path = `/console/assets/${shop.assetNum}`;
    const { page } = await openConsole(stack, 'viewer', { path });
    await page.getByRole('link', { name: `Kim Li ${MARKUP}` }).click();
    await page.getByRole('heading', { level: 1, name: `Aurora Engineering ${MARKUP}` }).waitFor();
    const row = page.getByRole('row', { name: `Kim Li ${MARKUP}` });
    await row.getByRole('link', { name: shop.assetNum }).click();
    await page.getByRole('link', { name: 'Orders that name it' }).click();
    await page.waitForURL((url) => url.pathname === '/console/orders');
    expect(new URL(page.url()).searchParams.get('assetNum')).toBe(shop.assetNum);
    expectNoFaults(page);
  });
});

describe('an administrator', () => {
  const passwordIn = async (text: string) => /[\w-]{24}/.exec(text)![0];

  it('is made by support for an enterprise that has none, and logs in with the password that is shown once', async () => {
    const path = `/console/enterprises/${shop.customer.enterpriseGlobalId}`;
    const { page } = await openConsole(stack, 'support', { path });
    await page.getByRole('button', { name: 'Make the first administrator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make the first administrator' }).click();
    const secret = page.getByRole('dialog', { name: 'The login of the administrator' });
    await secret.waitFor();
    await expectAccessible(page);
    await shot(page, 'first-administrator');
    const text = await secret.innerText();
    const account = /admin@\w+/.exec(text)![0];
    const password = await passwordIn(text);
    expect((await askUserToken(stack.baseUrl, shop.api.credentials, { account, password })).status).toBe(200);
    await secret.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('cell', { name: account }).waitFor();
    expect(await page.content()).not.toContain(password);
    await page.getByRole('tab', { name: 'Record' }).click();
    await page.getByRole('cell', { name: 'the operator of the service' }).waitFor();
    expectNoFaults(page);
  });

  it('gets a new password only after support has seen what that ends', async () => {
    const path = `/console/enterprises/${shop.center.enterpriseId}`;
    const { page } = await openConsole(stack, 'support', { path });
    await page.getByRole('button', { name: 'New password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('whatever is logged in with it').waitFor();
    await dialog.getByRole('button', { name: 'New password' }).click();
    const secret = page.getByRole('dialog', { name: 'The login of the administrator' });
    const password = await passwordIn(await secret.innerText());
    const { account } = shop.center;
    expect((await askUserToken(stack.baseUrl, shop.api.credentials, { account, password })).status).toBe(200);
    expectNoFaults(page);
  });

  it('gets none from a viewer', async () => {
    const path = `/console/enterprises/${shop.center.enterpriseId}`;
    const { page } = await openConsole(stack, 'viewer', { path });
    await page.getByRole('cell', { name: shop.center.account }).waitFor();
    expect(await page.getByRole('button', { name: 'New password' }).count()).toBe(0);
    expectNoFaults(page);
  });
});
