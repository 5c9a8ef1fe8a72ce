import { createRouter } from '@tanstack/react-router';
import { parseSearch, writeSearch } from './kit/search.ts';
import { CONSOLE_PATH } from './page-head.ts';
import { applicationsRoutes } from './pages/applications/routes.tsx';
import { assetsRoutes } from './pages/assets/routes.tsx';
import { batchesRoutes } from './pages/batches/routes.tsx';
import { enterprisesRoutes } from './pages/enterprises/routes.tsx';
import { operatorsRoutes } from './pages/operators/routes.tsx';
import { ordersRoutes } from './pages/orders/routes.tsx';
import { overviewRoutes } from './pages/overview/routes.tsx';
import { previewRoutes } from './pages/preview/routes.tsx';
import { queueRoutes } from './pages/queue/routes.tsx';
import { searchRoutes } from './pages/search/routes.tsx';
import { sessionRoutes } from './pages/session/routes.tsx';
import { webhooksRoutes } from './pages/webhooks/routes.tsx';
import { rootRoute } from './root-route.tsx';
import { BrokenPage } from './shell/BrokenPage.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { PendingPage } from './shell/PendingPage.tsx';

/** Every page of the console by its address. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...sessionRoutes,
    ...overviewRoutes,
    ...batchesRoutes,
    ...ordersRoutes,
    ...assetsRoutes,
    ...enterprisesRoutes,
    ...previewRoutes,
    ...applicationsRoutes,
    ...webhooksRoutes,
    ...queueRoutes,
    ...operatorsRoutes,
    ...searchRoutes,
  ]),
  basepath: CONSOLE_PATH,
  parseSearch,
  stringifySearch: writeSearch,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: PendingPage,
  scrollRestoration: true,
  // A hint of where the reader may go next loads its script; its data are read when it is opened.
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
