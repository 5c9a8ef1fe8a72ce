import { useRouter } from '@tanstack/react-router';
import { CallFailure, callOperation, noteLogOut } from '../api/calls.ts';
import { announce } from '../kit/signs.tsx';

/** Returns a function that ends the session in all tabs. */
export function useLogOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    try {
      await callOperation('logOut', {});
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      // A session that has already ended counts as a success. After any other failure it may still exist.
      if (error.status !== 401) return announce('bad', error.message);
    }
    await router.navigate({ to: '/log-in', search: { loggedOut: 'true' } });
    noteLogOut('everywhere');
  };
}
