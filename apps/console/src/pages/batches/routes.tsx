import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const batchesRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/batches',
    validateSearch: searchOf('appKey', 'cursor'),
    component: lazyRouteComponent(() => import('./BatchesPage.tsx'), 'BatchesPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/batches/$batchId',
    component: lazyRouteComponent(() => import('./BatchPage.tsx'), 'BatchPage'),
  }),
] as const;
