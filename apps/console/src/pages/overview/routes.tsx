import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const overviewRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    validateSearch: searchOf('span'),
    component: lazyRouteComponent(() => import('./OverviewPage.tsx'), 'OverviewPage'),
  }),
] as const;
