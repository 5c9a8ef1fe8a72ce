import { en } from '@lockstep/console/words';
import { includesRole, type OperatorRole } from '@lockstep/contract/console';
import { describe, expect, it } from 'vitest';
import { openConsole, openInSession } from '../harness/browser/browser.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MARKUP, openShop } from '../harness/browser/console-shop.ts';
import { heading, lookInEveryView, said, settled } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { testStack } from '../harness/stack.ts';

/** Every page of the console with real data: accessible in every view, with markup in every name, for each role. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const shop = await openShop(stack, MARKUP);
const admin = await ConsoleClient.logIn(stack, 'admin');

const { names, batch, batchId, boughtOrderId, unmatchedOrderId } = shop;
const { customerId } = shop.center.customer;
const asset = `/assets/${shop.assetNum}`;
const enterprise = `/enterprises/${shop.center.enterpriseId}`;
const { enterpriseGlobalId } = shop.customer;
const application = `/applications/${shop.api.credentials.appKey}`;

/** The name of its screenshots, its path, what it shows once its data has loaded, and the least role that sees it. */
type ConsolePage = [name: string, path: string, shows: string, least?: OperatorRole];

const PAGES: ConsolePage[] = [
  ['overview', '/', 'product_not_found'],
  ['batches', '/batches', batch.channelOrderId],
  ['batches-none', '/batches?channelOrderId=nothing', ''],
  ['batch', `/batches/${batchId}`, 'customer_not_found'],
  ['batch-one-cause', `/batches/${batchId}?cause=product_not_found`, unmatchedOrderId],
  ['resend', `/batches/${batchId}/resend`, 'JSON', 'support'],
  ['orders', `/orders?customerId=${customerId}`, batch.channelOrderId],
  ['order', `/orders/${boughtOrderId}`, names.enterprise],
  ['order-failed', `/orders/${unmatchedOrderId}`, shop.assetNum],
  ['holds', '/holds', ''],
  ['assets', `/assets?enterpriseGlobalId=${enterpriseGlobalId}`, ''],
  ['assets-of-one', `/assets?customerId=${customerId}`, names.enterprise],
  ['asset', asset, names.merchandise],
  ['expiring', '/expiring', ''],
  ['customers', '/customers', names.enterprise],
  ['customer', `/customers/${customerId}`, 'USB-'],
  ['customer-orders', `/customers/${customerId}?tab=orders`, boughtOrderId],
  ['enterprises', '/enterprises', names.enterprise],
  ['enterprise', enterprise, names.enterprise],
  ['enterprise-about', `${enterprise}?tab=about`, shop.center.account],
  ['enterprise-seats', `${enterprise}?tab=seats`, 'gms-'],
  ['enterprise-customers', `${enterprise}?tab=customers`, 'industry'],
  ['enterprise-employees', `${enterprise}?tab=employees`, names.employee],
  ['enterprise-audit-log', `${enterprise}?tab=audit-log`, names.employee],
  ['enterprise-without-administrator', `/enterprises/${enterpriseGlobalId}`, names.secondEnterprise],
  ['preview', '/preview', ''],
  ['applications', '/applications', names.application],
  ['application-new', '/applications/new', 'auth_order', 'admin'],
  ['application', application, names.application],
  ['application-channels', `${application}/channels`, names.application, 'admin'],
  ['channels', '/channels', 'test'],
  ['channel', '/channels/test', 'test'],
  ['webhooks', '/webhooks', names.application],
  ['webhook', `/webhooks/${shop.webhookId}`, names.webhook],
  ['webhook-disabled', `/webhooks/${shop.disabledWebhookId}`, names.application],
  ['refusals', '/refusals', 'batch_not_found'],
  ['queue', '/queue', en.queue.safe],
  ['operators', '/operators', 'admin-', 'admin'],
  ['operator', `/operators/${admin.login.name}`, admin.login.name, 'admin'],
  ['audit-log', '/audit-log', 'admin-', 'support'],
  // A prefix: a full name would open its page instead.
  ['password', '/password', ''],
  ['missing', '/no-such-page', ''],
];

it.each(PAGES)(
  'the page %s is accessible in every view, and shows markup in names as text',
  async (name, path, shows) => {
    const page = await openInSession(admin, path);
    await settled(page, shows);
    await lookInEveryView(page, name);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  },
);

it("the overview renders if the browser's language has a POSIX name", async () => {
  const page = await openInSession(admin, '/password');
  await page.context().addInitScript(`
    Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' });
    Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['en-US@posix'] });`);
  await page.goto('/console/');
  await page.locator('.uplot canvas').first().waitFor();
  expectNoFaults(page);
});

it('a page that is opened while the service is away says so, and opens once the service answers', async () => {
  const page = await openInSession(admin, '/password');
  await settled(page);
  await page.context().setOffline(true);
  await page.getByRole('link', { name: en.shell.assets, exact: true }).click();
  await said(page, en.kit.unreachable);
  await page.context().setOffline(false);
  await heading(page, en.shell.assets).waitFor();
});

const AREAS: Record<OperatorRole, string[]> = {
  viewer: [
    en.shell.overview,
    en.shell.channels,
    en.shell.batches,
    en.shell.orders,
    en.shell.heldOrders,
    en.shell.queue,
    en.shell.assets,
    en.shell.expiring,
    en.shell.enterprises,
    en.shell.customers,
    en.shell.applications,
    en.shell.webhooks,
    en.shell.refusals,
    en.shell.preview,
  ],
  get support() {
    return [...this.viewer, en.shell.auditLog];
  },
  get admin() {
    return [...this.viewer, en.shell.operators, en.shell.auditLog];
  },
};

/** Other tests cover what the service refuses. */
describe('each role sees exactly its own pages', () => {
  // The tests above open every page as an admin.
  it.each(['viewer', 'support'] as const)('no page of a %s calls an operation beyond the role', async (role) => {
    const { page } = await openConsole(stack, role);
    for (const [, path, shows] of PAGES.filter(([, , , least = 'viewer']) => includesRole(role, least))) {
      await page.goto(`/console${path}`);
      await settled(page, shows);
      expectNoFaults(page);
    }
  });

  it.each(['viewer', 'support', 'admin'] as const)(
    'a %s sees the areas of the role in the navigation, with the number of problems',
    async (role) => {
      const { page } = await openConsole(stack, role);
      await settled(page);
      const links = page.getByRole('navigation', { name: en.shell.navigation }).getByRole('link');
      await links.and(page.getByRole('link', { name: /^Webhooks ?, 1$/ })).waitFor();
      expect((await links.allInnerTexts()).map((text) => text.split(/[\n,]/)[0])).toEqual(AREAS[role]);
    },
  );

  it.each([
    ['viewer', '/operators'],
    ['support', '/operators'],
    ['viewer', '/audit-log'],
    ['support', '/applications/new'],
  ] as const)('a %s who opens %s by its address is told who may', async (role, path) => {
    const { page } = await openConsole(stack, role, path);
    const alert = page.getByRole('alert');
    await alert.getByText(en.kit.forbidden).waitFor();
    expect(await alert.innerText()).toContain(role);
    expectNoFaults(page, { but: /\b403\b/ });
  });
});
