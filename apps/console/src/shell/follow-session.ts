import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { onSessionEvent } from '../api/session-events.ts';
import { CONSOLE_PATH } from '../page-head.ts';

/**
 * Has the console follow its session: when it ends, here or in another tab, nothing of it stays on the page, and the log-in
 * page knows where to lead back; when another one begins, everything is read anew.
 */
export function followSession(router: AnyRouter, client: QueryClient): void {
  onSessionEvent((event) => {
    const { pathname, publicHref } = router.state.location;
    const isLogIn = pathname === '/log-in';
    if (event === 'logged-out') {
      client.clear();
      if (!isLogIn) void router.navigate({ to: '/log-in', search: { next: publicHref } });
      return;
    }
    if (isLogIn) void leaveLogIn(router, router.state.location.search as { next?: string });
    else void client.resetQueries();
  });
}

/** Goes where the reader was, or to the overview. Only addresses of the console count. */
export async function leaveLogIn(router: AnyRouter, { next }: { next?: string | undefined }): Promise<void> {
  if (next?.startsWith(`${CONSOLE_PATH}/`)) router.history.replace(next);
  else await router.navigate({ to: '/', replace: true });
}
