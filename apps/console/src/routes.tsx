import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  useMatches,
} from '@tanstack/react-router';
import { CallFailure } from './api/calls.ts';
import { parseSearch, searchOf, writeSearch } from './kit/search.ts';
import { CONSOLE_PATH } from './page-head.ts';
import { LogInPage } from './pages/session/LogInPage.tsx';
import { BrokenPage, NotFound, PendingPage } from './shell/fallbacks.tsx';
import { Shell } from './shell/Shell.tsx';

/** The root route: the shell around every page but the login page. */
const rootRoute = createRootRoute({ component: Root });

function Root() {
  // By what is shown and not by the address, which changes before: a page without the shell would not know who reads
  // it.
  const isLogIn = useMatches({ select: (matches) => matches.some(({ fullPath }) => fullPath === '/log-in') });
  if (isLogIn) return <Outlet />;
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}

/** A page: its path, a function that loads its file, its component, and the names of its search parameters. */
function page<const Path extends string, Component extends string, const Name extends string = never>(
  path: Path,
  load: () => Promise<{ [Key in Component]: RouteComponent }>,
  component: Component,
  ...names: Name[]
) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: searchOf(...names),
    component: lazyRouteComponent(() => loadOrSay(load), component) as RouteComponent,
  });
}

/** Loads a page's file. If a newer release removed it, the router reloads the console; not if the service is down. */
async function loadOrSay<File>(load: () => Promise<File>): Promise<File> {
  try {
    return await load();
  } catch (error) {
    await fetch(document.baseURI, { method: 'HEAD' }).catch(() => {
      throw new CallFailure(0, null, { cause: 'unreachable', message: String(error) });
    });
    throw error;
  }
}

const applications = () => import('./pages/applications/Applications.tsx');
const applicationForms = () => import('./pages/applications/ApplicationForms.tsx');
const auditLog = () => import('./pages/operators/AuditLogPage.tsx');
const batches = () => import('./pages/batches/Batches.tsx');
const channels = () => import('./pages/channels/Channels.tsx');
const customers = () => import('./pages/enterprises/Customers.tsx');
const enterprise = () => import('./pages/enterprises/EnterprisePage.tsx');
const enterprises = () => import('./pages/enterprises/Enterprises.tsx');
const operators = () => import('./pages/operators/Operators.tsx');
const orders = () => import('./pages/orders/Orders.tsx');
const preview = () => import('./pages/preview/PreviewPage.tsx');

const refusalsFilters = ['refusedFrom', 'refusedTo', 'appKey', 'cause', 'operation', 'requestId'] as const;
const ordersFilters = ['customerId', 'assetNum', 'state', 'cause', 'orderType', 'appKey', 'channelCode'] as const;
const batchesFilters = ['channelOrderId', 'appKey', 'channelCode', 'state', 'hasFailed'] as const;
const auditFilters = ['operator', 'action', 'target', 'recordedFrom', 'recordedTo'] as const;
const times = ['acceptedFrom', 'acceptedTo'] as const;
const enterpriseFilters = ['tab', 'text', 'memberGlobalId', 'assetNum', 'state'];
const assetsFilters = [
  'assetNum',
  'customerId',
  'enterpriseGlobalId',
  'productUri',
  'licenseType',
  'validity',
  'reason',
  'assigned',
  'expiresFrom',
  'expiresTo',
  'updatedFrom',
  'channelCode',
  'state',
] as const;

/** Every page of the console. Parameters are strings, because ids have more digits than a number can hold. */
const routes = [
  page('/', () => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage', 'span', 'from', 'to'),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/log-in',
    validateSearch: searchOf('next', 'loggedOut'),
    component: LogInPage,
  }),
  page('/password', () => import('./pages/session/PasswordPage.tsx'), 'PasswordPage'),

  page('/batches', batches, 'BatchesPage', ...batchesFilters, ...times, 'order', 'cursor'),
  page('/batches/$batchId', () => import('./pages/batches/BatchPage.tsx'), 'BatchPage', 'state', 'cause', 'cursor'),
  page('/batches/$batchId/resend', () => import('./pages/batches/ResendPage.tsx'), 'ResendPage', 'order', 'cause'),
  page('/orders', orders, 'OrdersPage', ...ordersFilters, ...times, 'cursor'),
  page('/holds', orders, 'HoldsPage', 'cursor'),
  page('/orders/$orderId', () => import('./pages/orders/OrderPage.tsx'), 'OrderPage'),
  page('/preview', preview, 'PreviewPage', 'appKey', 'state', 'order', 'cursor'),

  page('/assets', () => import('./pages/assets/Assets.tsx'), 'AssetsPage', ...assetsFilters, 'cursor'),
  page('/assets/$assetNum', () => import('./pages/assets/AssetPage.tsx'), 'AssetPage', 'cursor'),
  page('/expiring', () => import('./pages/assets/Expiring.tsx'), 'ExpiringPage', 'month', ...assetsFilters, 'cursor'),
  page('/customers', customers, 'CustomersPage', 'text', 'channelCode', 'cursor'),
  page('/customers/$customerId', customers, 'CustomerPage', 'tab', 'cursor'),
  page('/enterprises', enterprises, 'EnterprisesPage', 'text', 'cursor'),
  page('/enterprises/$enterpriseGlobalId', enterprise, 'EnterprisePage', ...enterpriseFilters, 'cursor'),

  page('/applications', applications, 'ApplicationsPage', 'search', 'status', 'cursor'),
  page('/applications/new', applicationForms, 'NewApplicationPage'),
  page('/applications/$appKey', applications, 'ApplicationPage'),
  page('/applications/$appKey/channels', applicationForms, 'BindingPage'),
  page('/channels', channels, 'ChannelsPage', 'search', 'state', 'cursor'),
  page('/channels/$channelCode', channels, 'ChannelPage'),
  page('/webhooks', () => import('./pages/webhooks/Webhooks.tsx'), 'WebhooksPage', 'state', 'appKey', 'cursor'),
  page('/webhooks/$webhookId', () => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage', 'cursor'),
  page('/refusals', () => import('./pages/refusals/Refusals.tsx'), 'RefusalsPage', ...refusalsFilters, 'cursor'),
  page('/queue', () => import('./pages/queue/QueuePage.tsx'), 'QueuePage'),
  page('/operators', operators, 'OperatorsPage'),
  page('/operators/$name', operators, 'OperatorPage'),
  page('/audit-log', auditLog, 'AuditLogPage', ...auditFilters, 'cursor'),
] as const;

export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: CONSOLE_PATH,
  parseSearch,
  stringifySearch: writeSearch,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: PendingPage,
  scrollRestoration: true,
  // Hovering over a link preloads the page's script, not its data.
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
