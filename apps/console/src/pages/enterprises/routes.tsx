import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const enterprisesRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/enterprises',
    validateSearch: searchOf('list', 'text', 'channelCode', 'cursor'),
    component: lazyRouteComponent(() => import('./EnterprisesPage.tsx'), 'EnterprisesPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/enterprises/$enterpriseGlobalId',
    validateSearch: searchOf('tab', 'text', 'cursor'),
    component: lazyRouteComponent(() => import('./EnterprisePage.tsx'), 'EnterprisePage'),
  }),
] as const;
