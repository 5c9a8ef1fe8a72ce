import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const ordersRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/orders',
    validateSearch: searchOf(
      ...(['customerId', 'assetNum', 'state', 'cause', 'orderType', 'appKey', 'channelCode', 'cursor'] as const),
    ),
    component: lazyRouteComponent(() => import('./OrdersPage.tsx'), 'OrdersPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/orders/$orderId',
    component: lazyRouteComponent(() => import('./OrderPage.tsx'), 'OrderPage'),
  }),
] as const;
