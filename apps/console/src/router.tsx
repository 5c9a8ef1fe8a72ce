import { createRouter } from '@tanstack/react-router';
import { parseSearch, writeSearch } from './kit/address/search.ts';
import { CONSOLE_PATH } from './page-head.ts';
import { rootRoute } from './root-route.tsx';
import { routes } from './routes.tsx';
import { BrokenPage } from './shell/BrokenPage.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { PendingPage } from './shell/PendingPage.tsx';

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
