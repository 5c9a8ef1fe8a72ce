import { createRootRoute, Outlet, useLocation } from '@tanstack/react-router';
import { Shell } from './shell/Shell.tsx';

/** The route that all others are below: the shell around every page but the log-in page. */
export const rootRoute = createRootRoute({ component: Root });

function Root() {
  const isLogIn = useLocation({ select: ({ pathname }) => pathname === '/log-in' });
  if (isLogIn) return <Outlet />;
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
