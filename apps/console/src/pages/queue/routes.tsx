import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const queueRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/queue',
    component: lazyRouteComponent(() => import('./QueuePage.tsx'), 'QueuePage'),
  }),
] as const;
