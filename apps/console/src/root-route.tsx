import { createRootRoute, Outlet, useMatches } from '@tanstack/react-router';
import { Shell } from './shell/Shell.tsx';

/** The root route: the shell around every page but the login page. */
export const rootRoute = createRootRoute({ component: Root });

function Root() {
  // By what is shown and not by the address, which changes before: a page without the shell would not know who reads
  // it.
  const isLogIn = useMatches({ select: (matches) => matches.some(({ fullPath }) => fullPath === '/log-in') });
  if (isLogIn) return <Outlet />;
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
