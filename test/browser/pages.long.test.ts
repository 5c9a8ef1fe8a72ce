import { afterAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { NARROW_PIXELS, openInSession, shot, type View } from '../harness/browser/browser.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MARKUP, openShop } from '../harness/browser/console-shop.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { expectFits } from '../harness/browser/page-width.ts';
import { testStack } from '../harness/stack.ts';
import { CONSOLE_PAGES, settled } from './console-pages.ts';

/** Every page of the console with real data: accessible in every view, whatever names contain. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const marked = await openShop(stack, MARKUP);
const shop = await openShop(stack);
const admin = await ConsoleClient.logIn(stack, 'admin');
afterAll(() => Promise.all([shop.close(), marked.close()]));

const VIEWS: Record<string, View> = {
  light: {},
  dark: { colorScheme: 'dark' },
  narrow: { widthPixels: NARROW_PIXELS },
  chinese: { language: 'zh-CN' },
};

describe.each(Object.entries(VIEWS))('in %s', (viewName, view) => {
  it.each(CONSOLE_PAGES)('the page $name is accessible', async ({ name, path, shows }) => {
    const page = await openInSession(admin, { path: `/console${path(shop)}`, ...view });
    await settled(page, shows(shop));
    await shot(page, `${name}-${viewName}`, { isWhole: true });
    await expectFits(page);
    await expectAccessible(page);
    expectNoFaults(page);
  });
});

it.each(CONSOLE_PAGES)('the page $name shows markup in names as text', async ({ name, path, shows }) => {
  const page = await openInSession(admin, { path: `/console${path(marked)}` });
  await settled(page, shows(marked));
  await shot(page, `${name}-markup`, { isWhole: true });
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  expectNoFaults(page);
});

it("the overview renders if the browser's language has a POSIX name", async () => {
  const page = await openInSession(admin, { path: '/console/password' });
  await page.context().addInitScript(`
    Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' });
    Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['en-US@posix'] });`);
  await page.goto('/console/');
  await page.locator('.uplot canvas').waitFor();
  expectNoFaults(page);
});
