import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '../../kit/search.ts';
import { rootRoute } from '../../root-route.tsx';
import { LogInPage } from './LogInPage.tsx';

/** Logging in, and the operator's own password. */
export const sessionRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/log-in',
    validateSearch: searchOf('next', 'loggedOut'),
    component: LogInPage,
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/password',
    component: lazyRouteComponent(() => import('./PasswordPage.tsx'), 'PasswordPage'),
  }),
] as const;
