import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const previewRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/preview',
    component: lazyRouteComponent(() => import('./PreviewPage.tsx'), 'PreviewPage'),
  }),
] as const;
