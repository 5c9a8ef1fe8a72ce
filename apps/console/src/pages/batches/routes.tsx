import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const batchesRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/batches',
    validateSearch: searchOf(
      ...(['channelOrderId', 'appKey', 'channelCode', 'state', 'hasFailed'] as const),
      ...(['acceptedFrom', 'acceptedTo', 'cursor'] as const),
    ),
    component: lazyRouteComponent(() => import('./BatchesPage.tsx'), 'BatchesPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/batches/$batchId',
    validateSearch: searchOf('state', 'cause', 'cursor'),
    component: lazyRouteComponent(() => import('./BatchPage.tsx'), 'BatchPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/batches/$batchId/resend',
    validateSearch: searchOf('order'),
    component: lazyRouteComponent(() => import('./ResendPage.tsx'), 'ResendPage'),
  }),
] as const;
