import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { NARROW_PIXELS, openPage, shot, type View } from '../harness/browser/browser.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { expectFits } from '../harness/browser/page-width.ts';
import { testStack } from '../harness/stack.ts';

/** What a newcomer sees first: /, the guides, and a call tried out at /docs. */

const { stack } = await testStack({ worker: false });

const VIEWS: Record<string, View> = {
  light: {},
  dark: { colorScheme: 'dark' },
  narrow: { widthPixels: NARROW_PIXELS },
  chinese: { language: 'zh-CN' },
};

describe.each(Object.entries(VIEWS))('in %s', (name, view) => {
  it.each([
    ['/', 'front-page'],
    ['/guides', 'guides'],
    ['/guides/integrating', 'guide'],
  ])('%s is accessible', async (path, shotName) => {
    const page = await openPage(stack, path, view);
    await page.locator('h1').waitFor();
    await shot(page, `${shotName}-${name}`);
    await expectFits(page);
    await expectAccessible(page);
    expectNoFaults(page);
  });
});

describe('the front page', () => {
  it("uses the reader's language, and keeps a chosen one from page to page", async () => {
    const page = await openPage(stack, '/', { language: 'zh-CN' });
    expect(await page.locator('html').getAttribute('lang')).toBe('zh');
    await page.locator('a[hreflang="en"]').click();
    await page.locator('a[href*="guides"]').first().click();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expectNoFaults(page);
  });

  it('links to the console, the API and the guides', async () => {
    const page = await openPage(stack, '/');
    for (const path of ['/console', '/docs', '/guides']) {
      await page.goto('/');
      await page.locator(`.places a[href^=".${path}"]`).click();
      await page.waitForURL((url) => url.pathname.startsWith(path));
    }
  });
});

describe('the page /docs', () => {
  it('fetches a token itself, and the first call that is tried out succeeds', async () => {
    const { credentials } = await stack.newApi();
    const page = await openPage(stack, '/docs');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.modal-ux');
    const secret = dialog.locator('#client_secret_clientCredentials');
    await dialog.locator('#client_secret_clientCredentials:focus').waitFor();
    await shot(page, 'docs-authorize');
    await dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' }).first().click();
    await dialog.locator('.errors').waitFor();
    await dialog.locator('#client_id_clientCredentials').fill(credentials.appKey);
    await secret.fill(credentials.appSecret);
    await dialog.getByRole('button', { name: 'Apply given OAuth2 credentials' }).first().click();
    await dialog.locator('[data-authorized=true]').waitFor();
    await shot(page, 'docs-authorized');
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await page.locator('#operations-Order_module-bindCustomer .opblock-summary-control').click();
    const operation = page.locator('#operations-Order_module-bindCustomer');
    await operation.getByRole('button', { name: 'Execute' }).click();
    const status = operation.locator('.live-responses-table .response-col_status').nth(1);
    await status.waitFor();
    await shot(page, 'docs-tried');
    expect(await status.innerText()).toContain('200');
    expect(await operation.locator('.live-responses-table').innerText()).toContain('customerId');
    expectNoFaults(page);
  });

  it("has the product's name, in light and dark", async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage(stack, '/docs', { colorScheme });
      await page.getByText('/licenseOrder/batchOrder').first().waitFor();
      expect(await page.title()).toBe('Lockstep API');
      expect((await page.content()).toLowerCase()).not.toContain('fastify');
      await shot(page, `docs-${colorScheme}`);
      expectNoFaults(page);
    }
  });
});
