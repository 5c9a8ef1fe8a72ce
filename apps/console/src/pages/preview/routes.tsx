import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. The batch itself is too large for one: only how it is looked at stands there. */
export const previewRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/preview',
    validateSearch: searchOf('appKey', 'state', 'order'),
    component: lazyRouteComponent(() => import('./PreviewPage.tsx'), 'PreviewPage'),
  }),
] as const;
