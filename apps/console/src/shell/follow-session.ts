import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { onSessionEvent } from '../api/session-events.ts';
import { CONSOLE_PATH } from '../page-head.ts';

/**
 * Has the console follow its session: when it ends, here or in another tab, nothing of it stays on the page, and the
 * log-in page knows where to lead back; when another one begins, everything is read anew.
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

/** Shows the log-in page, which leads back to what is shown now. */
export function askForLogIn(router: AnyRouter): void {
  const { pathname, publicHref } = router.latestLocation;
  if (pathname === '/log-in') return;
  router.history.replace(router.buildLocation({ to: '/log-in', search: { next: publicHref } }).publicHref);
}

/** Goes where the reader was, or to the overview. Only addresses of the console count. */
export async function leaveLogIn(router: AnyRouter, { next }: { next?: string | undefined }): Promise<void> {
  if (next?.startsWith(`${CONSOLE_PATH}/`)) router.history.replace(next);
  else await router.navigate({ to: '/', replace: true });
}
