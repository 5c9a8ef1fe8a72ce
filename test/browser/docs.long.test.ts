import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NARROW_PIXELS, openPage, shot, type View } from '../harness/browser/browser.ts';
import { look } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { testStack } from '../harness/stack.ts';

/** What an integrator sees first: /, and a call tried out at /docs. */

const { stack } = await testStack({ worker: false });

describe('the front page', () => {
  it.each<[name: string, view: View]>([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['narrow', { widthPixels: NARROW_PIXELS }],
  ])('is accessible: %s', async (name, view) => {
    const page = await openPage(stack, '/', view);
    await look(page, `front-page-${name}`);
  });

  it('links to the console and the API reference', async () => {
    const page = await openPage(stack, '/');
    for (const path of ['/console', '/docs']) {
      await page.goto('/');
      await page.locator(`a[href^=".${path}"]`).click();
      await page.waitForURL((url) => url.pathname.startsWith(path));
    }
  });
});

describe('the page /docs', () => {
  it('shows the causes and the limits', async () => {
    const page = await openPage(stack, '/docs');
    await page.getByText('/licenseOrder/batchOrder').first().waitFor();
    expect(await page.title()).toBe('Lockstep API');
    await shot(page, 'docs');
    await page.getByText('All causes').click();
    await page.getByRole('cell', { name: 'channel_order_id_conflict' }).waitFor();
    await page.getByText('Limits', { exact: true }).click();
    await page.getByRole('cell', { name: 'Orders in a batch' }).waitFor();
    expectNoFaults(page);
  });

  /** Enters credentials in a flow of the dialog that is open, and waits for the token. */
  async function authorize(page: Page, flow: string, fields: Record<string, string>): Promise<void> {
    const form = page.locator('.modal-ux .auth-container').filter({ hasText: `(OAuth2, ${flow})` });
    for (const [field, value] of Object.entries(fields)) await form.locator(`#${field}`).fill(value);
    await form.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    await form.getByText('Logout').waitFor();
  }

  it('fetches a token itself, and each call that is tried out succeeds', async () => {
    const { credentials } = await stack.newApi();
    const page = await openPage(stack, '/docs');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await shot(page, 'docs-authorize');
    await authorize(page, 'clientCredentials', {
      client_id_clientCredentials: credentials.appKey,
      client_secret_clientCredentials: credentials.appSecret,
    });
    await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).first().click();
    const operation = page.locator('#operations-Order_module-bindCustomer');
    await operation.locator('.opblock-summary-control').click();
    for (const attempt of ['first', 'second']) {
      await operation.getByRole('button', { name: 'Execute' }).click();
      const table = operation.locator('.live-responses-table');
      await table.getByText('DEMO-DEPOT').waitFor();
      await shot(page, `docs-${attempt}-call`);
      await operation.getByRole('button', { name: 'Clear' }).click();
    }
    expectNoFaults(page);
  });

  it('gets the token of an administrator, and sends what the member center needs', async () => {
    const { api, enterpriseId, account, password } = await MemberCenter.open(stack);
    const page = await openPage(stack, '/docs');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    for (const flow of ['clientCredentials', 'password']) {
      await authorize(page, flow, {
        [`client_id_${flow}`]: api.credentials.appKey,
        [`client_secret_${flow}`]: api.credentials.appSecret,
        ...(flow === 'password' && { oauth_username: account, oauth_password: password }),
      });
    }
    await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).first().click();
    const operation = page.locator('#operations-Member_center-listEmployees');
    await operation.locator('.opblock-summary-control').click();
    const parameters = Object.entries({ enterpriseGlobalId: enterpriseId, departmentId: '', keyword: '' });
    for (const [name, value] of parameters) await operation.locator(`[data-param-name="${name}"] input`).fill(value);
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText(account).waitFor();
    expectNoFaults(page);
  });
});
