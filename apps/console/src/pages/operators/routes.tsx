import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const operatorsRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/operators',
    component: lazyRouteComponent(() => import('./OperatorsPage.tsx'), 'OperatorsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/operators/$name',
    component: lazyRouteComponent(() => import('./OperatorPage.tsx'), 'OperatorPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/record',
    validateSearch: searchOf('operator', 'action', 'target', 'cursor'),
    component: lazyRouteComponent(() => import('./RecordPage.tsx'), 'RecordPage'),
  }),
] as const;
