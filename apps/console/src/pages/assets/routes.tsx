import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';

/** The addresses of this area. */
export const assetsRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/assets',
    validateSearch: searchOf('assetNum', 'customerId', 'enterpriseGlobalId', 'revoked', 'cursor'),
    component: lazyRouteComponent(() => import('./AssetsPage.tsx'), 'AssetsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/assets/$assetNum',
    validateSearch: searchOf('tab', 'cursor'),
    component: lazyRouteComponent(() => import('./AssetPage.tsx'), 'AssetPage'),
  }),
] as const;
