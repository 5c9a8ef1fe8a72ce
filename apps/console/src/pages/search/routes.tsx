import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const searchRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/search',
    validateSearch: searchOf('text'),
    component: lazyRouteComponent(() => import('./SearchPage.tsx'), 'SearchPage'),
  }),
] as const;
