import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const overviewRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./OverviewPage.tsx'), 'OverviewPage'),
  }),
] as const;
