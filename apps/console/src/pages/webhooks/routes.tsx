import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const webhooksRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/webhooks',
    validateSearch: searchOf('state', 'appKey', 'cursor'),
    component: lazyRouteComponent(() => import('./WebhooksPage.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/webhooks/$webhookId',
    validateSearch: searchOf('cursor'),
    component: lazyRouteComponent(() => import('./WebhookPage.tsx'), 'WebhookPage'),
  }),
] as const;
