import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { onSessionEvent } from '../api/calls.ts';
import { CONSOLE_PATH } from '../page-head.ts';

/**
 * Follows the session. When it ends in any tab, clears the page and goes to the login page, which returns here. When
 * another session starts, reloads everything.
 */
export function followSession(router: AnyRouter, client: QueryClient): void {
  onSessionEvent((event) => {
    if (event === 'logged-out') {
      client.clear();
      askForLogIn(router);
      return;
    }
    if (router.state.location.pathname === '/log-in')
      void leaveLogIn(router, router.state.location.search as { next?: string });
    else void client.resetQueries();
  });
}

/** Goes to the login page, which returns to the current page afterwards. */
export function askForLogIn(router: AnyRouter): void {
  const { pathname, publicHref } = router.latestLocation;
  if (pathname === '/log-in') return;
  router.history.replace(router.buildLocation({ to: '/log-in', search: { next: publicHref } }).publicHref);
}

/** Returns to the page before the login, or to the overview. Ignores addresses outside the console. */
export async function leaveLogIn(router: AnyRouter, { next }: { next?: string | undefined }): Promise<void> {
  if (next?.startsWith(`${CONSOLE_PATH}/`)) router.history.replace(next);
  else await router.navigate({ to: '/', replace: true });
}
