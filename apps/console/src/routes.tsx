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
import { parseSearch, type Search, writeSearch } from './api/search.ts';
import { CONSOLE_PATH } from './page-head.ts';
import { LogInPage } from './pages/session/LogInPage.tsx';
import { BrokenPage, NotFound, PendingPage } from './shell/fallbacks.tsx';
import { Shell } from './shell/Shell.tsx';

/** The root route: the shell around every page but the login page. Pages read the parameters that they know. */
const rootRoute = createRootRoute({ component: Root, validateSearch: (given: Search) => given });

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

/** A page: its path, a function that loads its file, and its component. */
function page<const Path extends string, Component extends string>(
  path: Path,
  load: () => Promise<{ [Key in Component]: RouteComponent }>,
  component: Component,
) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
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
const channels = () => import('./pages/channels/Channels.tsx');
const customers = () => import('./pages/enterprises/Customers.tsx');
const enterprises = () => import('./pages/enterprises/EnterprisePage.tsx');
const operators = () => import('./pages/operators/Operators.tsx');
const orders = () => import('./pages/orders/Orders.tsx');

/** Every page of the console. */
const routes = [
  page('/', () => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
  createRoute({ getParentRoute: () => rootRoute, path: '/log-in', component: LogInPage }),
  page('/password', () => import('./pages/session/PasswordPage.tsx'), 'PasswordPage'),

  page('/batches', () => import('./pages/batches/Batches.tsx'), 'BatchesPage'),
  page('/batches/$batchId', () => import('./pages/batches/BatchPage.tsx'), 'BatchPage'),
  page('/batches/$batchId/resend', () => import('./pages/batches/ResendPage.tsx'), 'ResendPage'),
  page('/orders', orders, 'OrdersPage'),
  page('/holds', orders, 'HoldsPage'),
  page('/orders/$orderId', () => import('./pages/orders/OrderPage.tsx'), 'OrderPage'),
  page('/preview', () => import('./pages/preview/PreviewPage.tsx'), 'PreviewPage'),

  page('/assets', () => import('./pages/assets/Assets.tsx'), 'AssetsPage'),
  page('/assets/$assetNum', () => import('./pages/assets/AssetPage.tsx'), 'AssetPage'),
  page('/expiring', () => import('./pages/assets/Expiring.tsx'), 'ExpiringPage'),
  page('/customers', customers, 'CustomersPage'),
  page('/customers/$customerId', customers, 'CustomerPage'),
  page('/enterprises', enterprises, 'EnterprisesPage'),
  page('/enterprises/$enterpriseGlobalId', enterprises, 'EnterprisePage'),

  page('/applications', applications, 'ApplicationsPage'),
  page('/applications/new', applicationForms, 'NewApplicationPage'),
  page('/applications/$appKey', applications, 'ApplicationPage'),
  page('/applications/$appKey/channels', applicationForms, 'BindingPage'),
  page('/channels', channels, 'ChannelsPage'),
  page('/channels/$channelCode', channels, 'ChannelPage'),
  page('/webhooks', () => import('./pages/webhooks/Webhooks.tsx'), 'WebhooksPage'),
  page('/webhooks/$webhookId', () => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
  page('/refusals', () => import('./pages/refusals/Refusals.tsx'), 'RefusalsPage'),
  page('/queue', () => import('./pages/queue/QueuePage.tsx'), 'QueuePage'),
  page('/operators', operators, 'OperatorsPage'),
  page('/operators/$name', operators, 'OperatorPage'),
  page('/audit-log', () => import('./pages/operators/AuditLogPage.tsx'), 'AuditLogPage'),
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
