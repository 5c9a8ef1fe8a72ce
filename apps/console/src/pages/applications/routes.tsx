import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const applicationsRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/applications',
    validateSearch: searchOf('search', 'status', 'cursor'),
    component: lazyRouteComponent(() => import('./ApplicationsPage.tsx'), 'ApplicationsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/applications/new',
    component: lazyRouteComponent(() => import('./NewApplicationPage.tsx'), 'NewApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/applications/$appKey',
    component: lazyRouteComponent(() => import('./ApplicationPage.tsx'), 'ApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/applications/$appKey/channels',
    component: lazyRouteComponent(() => import('./ChannelsPage.tsx'), 'ChannelsPage'),
  }),
] as const;
