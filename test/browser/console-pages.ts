import type { OperatorRole } from '@lockstep/contract/console';
import type { Page } from 'playwright-core';
import type { Shop } from '../harness/console-shop.ts';

/** A page of the console, with data of a shop. */
export interface ConsolePage {
  /** Names its pictures. */
  name: string;
  /** Behind /console. */
  path: (shop: Shop) => string;
  /** The least role that may see it. */
  least: OperatorRole;
  /** What it shows once its data have come, in every language. */
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

/** Every page of the console, which each test of all pages walks. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  page('overview', '/', 'product_not_found'),
  page('batches', '/batches', ({ batch }) => batch.channelOrderId),
  page('batch', ({ batchId }) => `/batches/${batchId}`, 'customer_not_found'),
  page('orders', '/orders', ({ batch }) => batch.channelOrderId),
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
  page('assets', '/assets', ({ names }) => names.enterprise),
  page(
    'asset',
    ({ assetNum }) => `/assets/${assetNum}`,
    ({ names }) => names.merchandise,
  ),
  page('enterprises', '/enterprises', ({ names }) => names.enterprise),
  page(
    'enterprise',
    ({ center }) => `/enterprises/${center.enterpriseId}`,
    ({ names }) => names.enterprise,
  ),
  page(
    'enterprise-without-administrator',
    ({ customer }) => `/enterprises/${customer.enterpriseGlobalId}`,
    ({ names }) => names.secondEnterprise,
  ),
  page('preview', '/preview', ''),
  page('applications', '/applications', ({ names }) => names.application),
  page('application-new', '/applications/new', 'auth_order', 'admin'),
  page(
    'application',
    ({ api }) => `/applications/${api.credentials.appKey}`,
    ({ names }) => names.application,
  ),
  page(
    'application-channels',
    ({ api }) => `/applications/${api.credentials.appKey}/channels`,
    ({ names }) => names.application,
    'admin',
  ),
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
  page('operators', '/operators', 'admin', 'admin'),
  page('record', '/record', 'admin-', 'support'),
  page(
    'search',
    ({ assetNum }) => `/search?text=${assetNum}`,
    ({ assetNum }) => assetNum,
  ),
  page('password', '/password', ''),
  page('missing', '/no-such-page', ''),
];

/** Waits until a page has its heading and its data. */
export async function settled(at: Page, shows = ''): Promise<void> {
  await at.getByRole('heading', { level: 1 }).waitFor();
  if (shows !== '') await at.getByText(shows).first().waitFor();
  await at.waitForLoadState('networkidle');
  await at.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
