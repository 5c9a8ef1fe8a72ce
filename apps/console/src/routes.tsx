import { createRoute, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { searchOf } from './kit/address/search.ts';
import { LogInPage } from './pages/session/LogInPage.tsx';
import { rootRoute } from './root-route.tsx';

/** A page: its path, a function that loads it, and the names of its search parameters. */
function page<const Path extends string, const Name extends string = never>(
  path: Path,
  load: () => Promise<{ default: RouteComponent }>,
  ...names: Name[]
) {
  const component = lazyRouteComponent(load);
  return createRoute({ getParentRoute: () => rootRoute, path, validateSearch: searchOf(...names), component });
}

const ordersFilters = ['customerId', 'assetNum', 'state', 'cause', 'orderType', 'appKey', 'channelCode'] as const;
const batchesFilters = ['channelOrderId', 'appKey', 'channelCode', 'state', 'hasFailed'] as const;
const times = ['acceptedFrom', 'acceptedTo'] as const;

/** Every page of the console. Parameters are strings, because ids have more digits than a number can hold. */
export const routes = [
  page('/', () => import('./pages/overview/OverviewPage.tsx'), 'span'),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/log-in',
    validateSearch: searchOf('next', 'loggedOut'),
    component: LogInPage,
  }),
  page('/password', () => import('./pages/session/PasswordPage.tsx')),
  page('/search', () => import('./pages/search/SearchPage.tsx'), 'text'),

  page('/batches', () => import('./pages/batches/BatchesPage.tsx'), ...batchesFilters, ...times, 'cursor'),
  page('/batches/$batchId', () => import('./pages/batches/BatchPage.tsx'), 'state', 'cause', 'cursor'),
  page('/batches/$batchId/resend', () => import('./pages/batches/ResendPage.tsx'), 'order'),
  page('/orders', () => import('./pages/orders/OrdersPage.tsx'), ...ordersFilters, 'cursor'),
  page('/holds', () => import('./pages/orders/HoldsPage.tsx'), 'cursor'),
  page('/orders/$orderId', () => import('./pages/orders/OrderPage.tsx')),
  page('/preview', () => import('./pages/preview/PreviewPage.tsx'), 'appKey', 'state', 'order', 'cursor'),

  page(
    '/assets',
    () => import('./pages/assets/AssetsPage.tsx'),
    'assetNum',
    'customerId',
    'enterpriseGlobalId',
    'revoked',
    'cursor',
  ),
  page('/assets/$assetNum', () => import('./pages/assets/AssetPage.tsx'), 'tab', 'cursor'),
  page(
    '/enterprises',
    () => import('./pages/enterprises/EnterprisesPage.tsx'),
    'list',
    'text',
    'channelCode',
    'cursor',
  ),
  page(
    '/enterprises/$enterpriseGlobalId',
    () => import('./pages/enterprises/EnterprisePage.tsx'),
    'tab',
    'text',
    'cursor',
  ),

  page('/applications', () => import('./pages/applications/ApplicationsPage.tsx'), 'search', 'status', 'cursor'),
  page('/applications/new', () => import('./pages/applications/NewApplicationPage.tsx')),
  page('/applications/$appKey', () => import('./pages/applications/ApplicationPage.tsx')),
  page('/applications/$appKey/channels', () => import('./pages/applications/BindingPage.tsx')),
  page('/channels', () => import('./pages/channels/ChannelsPage.tsx'), 'search', 'state', 'cursor'),
  page('/channels/$channelCode', () => import('./pages/channels/ChannelPage.tsx')),
  page('/webhooks', () => import('./pages/webhooks/WebhooksPage.tsx'), 'state', 'appKey', 'cursor'),
  page('/webhooks/$webhookId', () => import('./pages/webhooks/WebhookPage.tsx'), 'cursor'),
  page('/queue', () => import('./pages/queue/QueuePage.tsx')),
  page('/operators', () => import('./pages/operators/OperatorsPage.tsx')),
  page('/operators/$name', () => import('./pages/operators/OperatorPage.tsx')),
  page('/audit-log', () => import('./pages/operators/AuditLogPage.tsx'), 'operator', 'action', 'target', 'cursor'),
] as const;
