import { QueryClient } from '@tanstack/react-query';
import { CallFailure } from './call-failure.ts';

const MAX_RETRIES = 2;

/** A call that was refused is refused again; one that failed on the way may succeed. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = error instanceof CallFailure && (error.status === 0 || error.status >= 500);
  return isPassing && failures < MAX_RETRIES;
}

/** What the console knows of the server's answers. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthRetrying, staleTime: 2_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
