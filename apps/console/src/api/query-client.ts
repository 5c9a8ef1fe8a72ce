import { QueryClient } from '@tanstack/react-query';
import { CallFailure } from './call-failure.ts';

const MAX_RETRIES = 2;

/** Retries only calls that did not reach the service: a refused call would be refused again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = error instanceof CallFailure && (error.status === 0 || error.status >= 500);
  return isPassing && failures < MAX_RETRIES;
}

/** The cache of the service's responses. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthRetrying, staleTime: 2_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
