import type { Me } from '@lockstep/contract/console';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type CallFailure, useChange } from '../../api/index.ts';
import { beganWithoutSession } from '../../page-head.ts';

interface LogInByLink {
  /** The reader opened a link whose token may still be good. */
  isOffered: boolean;
  /**
   * The link may be used without a click. If the browser has a session or another site led here, the reader decides:
   * otherwise any page could log its reader in.
   */
  mayStart: boolean;
  isPending: boolean;
  error: CallFailure | null;
  /** Logs in, and calls `onSuccess` with the operator. */
  use: (onSuccess: (me: Me) => Promise<void>) => void;
}

/** Logging in by the one-time link that `npm start` prints (rules 9, Login link). */
export function useLogInByLink(): LogInByLink {
  const token = useLinkToken();
  const { mutate, variables, isPending, error } = useChange('logInByLink');
  const isTried = variables !== undefined && 'token' in variables.body && variables.body.token === token;
  const isOffered = token !== undefined && !(isTried && error?.cause === 'log_in_link_invalid');
  return {
    isOffered,
    mayStart: isOffered && !isTried && beganWithoutSession(),
    isPending,
    error,
    use: (onSuccess) => mutate({ body: { token: token ?? '' } }, { onSuccess }),
  };
}

/** The token behind the `#` of the address, which no browser sends to a server. It leaves the address at once. */
function useLinkToken(): string | undefined {
  const router = useRouter();
  const found = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') });
  const [token, setToken] = useState<string>();
  useEffect(() => {
    if (found === null) return;
    setToken(found);
    router.history.replace(router.latestLocation.publicHref.replace(/#.*$/, ''));
  }, [found, router]);
  return token;
}
