import type { OperatorRole } from '@lockstep/contract/console';
import type { Page } from 'playwright-core';
import type { Shop } from '../harness/browser/console-shop.ts';

/** A page of the console, with data of a shop. */
export interface ConsolePage {
  /** The name of its screenshots. */
  name: string;
  /** Below /console. */
  path: (shop: Shop) => string;
  /** The least role that may see it. */
  least: OperatorRole;
  /** Text that it shows in every language once its data has loaded. */
  shows: (shop: Shop) => string;
}

const page = (
  name: string,
  path: string | ((shop: Shop) => string),
  shows: string | ((shop: Shop) => string),
  least: OperatorRole = 'viewer',
): ConsolePage => ({
  name,
  path: typeof path === 'string' ? () => path : path,
  shows: typeof shows === 'string' ? () => shows : shows,
  least,
});

const asset = ({ assetNum }: Shop) => `/assets/${assetNum}`;
const enterprise = ({ center }: Shop) => `/enterprises/${center.enterpriseId}`;
const application = ({ api }: Shop) => `/applications/${api.credentials.appKey}`;

/** Every page of the console, for tests that visit all of them. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  page('overview', '/', 'product_not_found'),
  page('batches', '/batches', ({ batch }) => batch.channelOrderId),
  page('batch', ({ batchId }) => `/batches/${batchId}`, 'customer_not_found'),
  page(
    'batch-one-cause',
    ({ batchId }) => `/batches/${batchId}?cause=product_not_found`,
    ({ unmatchedOrderId }) => unmatchedOrderId,
  ),
  page('resend', ({ batchId }) => `/batches/${batchId}/resend`, 'JSON', 'support'),
  page(
    'orders',
    ({ center }) => `/orders?customerId=${center.customer.customerId}`,
    ({ batch }) => batch.channelOrderId,
  ),
  page(
    'order',
    ({ boughtOrderId }) => `/orders/${boughtOrderId}`,
    ({ names }) => names.enterprise,
  ),
  page(
    'order-failed',
    ({ unmatchedOrderId }) => `/orders/${unmatchedOrderId}`,
    ({ assetNum }) => assetNum,
  ),
  page('holds', '/holds', ''),
  page('assets', ({ customer }) => `/assets?enterpriseGlobalId=${customer.enterpriseGlobalId}`, ''),
  page(
    'assets-of-one',
    ({ center }) => `/assets?customerId=${center.customer.customerId}`,
    ({ names }) => names.enterprise,
  ),
  page('asset', asset, ({ names }) => names.merchandise),
  page(
    'asset-history',
    (shop) => `${asset(shop)}?tab=history`,
    ({ names }) => names.secondEnterprise,
  ),
  page('enterprises', '/enterprises', ({ names }) => names.enterprise),
  page('enterprise', enterprise, ({ names }) => names.enterprise),
  page('enterprise-assets', (shop) => `${enterprise(shop)}?tab=assets`, 'USB-'),
  page(
    'enterprise-employees',
    (shop) => `${enterprise(shop)}?tab=employees`,
    ({ names }) => names.employee,
  ),
  page(
    'enterprise-audit-log',
    (shop) => `${enterprise(shop)}?tab=audit-log`,
    ({ names }) => names.employee,
  ),
  page(
    'enterprise-without-administrator',
    ({ customer }) => `/enterprises/${customer.enterpriseGlobalId}`,
    ({ names }) => names.secondEnterprise,
  ),
  page('preview', '/preview', ''),
  page('applications', '/applications', ({ names }) => names.application),
  page('application-new', '/applications/new', 'auth_order', 'admin'),
  page('application', application, ({ names }) => names.application),
  page(
    'application-channels',
    (shop) => `${application(shop)}/channels`,
    ({ names }) => names.application,
    'admin',
  ),
  page('channels', '/channels', 'test'),
  page('channel', '/channels/test', 'test'),
  page('webhooks', '/webhooks', ({ names }) => names.application),
  page(
    'webhook',
    ({ webhookId }) => `/webhooks/${webhookId}`,
    ({ names }) => names.webhook,
  ),
  page(
    'webhook-disabled',
    ({ disabledWebhookId }) => `/webhooks/${disabledWebhookId}`,
    ({ names }) => names.application,
  ),
  page('queue', '/queue', ''),
  page('operators', '/operators', 'admin-', 'admin'),
  page('audit-log', '/audit-log', 'admin-', 'support'),
  page(
    'search',
    // A prefix: a full name would open its page instead.
    ({ names }) => `/search?text=${names.enterprise.slice(0, 6)}`,
    ({ names }) => names.enterprise,
  ),
  page('password', '/password', ''),
  page('missing', '/no-such-page', ''),
];

/** Waits until a page has its heading and data. */
export async function settled(at: Page, shows = ''): Promise<void> {
  await at.getByRole('heading', { level: 1 }).waitFor();
  if (shows !== '') await at.getByText(shows).filter({ visible: true }).first().waitFor();
  await at.waitForLoadState('networkidle');
  await at.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
