import type { Me } from '@lockstep/contract/console';
import { MAX_NEXT } from '@lockstep/contract/words';
import { Button, Center, Group, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useLocation, useRouter } from '@tanstack/react-router';
import { type FormEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { noteLogIn } from '../../api/calls.ts';
import { queryClient, useChange } from '../../api/operations.ts';
import { useAddress } from '../../kit/inputs.tsx';
import { Failure } from '../../kit/page.tsx';
import { Notice } from '../../kit/signs.tsx';
import { beganWithoutSession, HAS_PASSWORD_LOG_IN, LOGIN_PROVIDER, takeProviderReturn } from '../../page-head.ts';
import { leaveLogIn } from '../../shell/follow-session.ts';
import { Preferences } from '../../shell/Preferences.tsx';
import { explainCause } from '../../words/causes.ts';
import { sessionWords as words } from './words.ts';

/** Logs in by the provider, a password or a one-time link, then returns to the page that the operator came from. */
export function LogInPage() {
  const router = useRouter();
  const [search] = useAddress();
  const logIn = useChange('logIn');
  const byLink = useLogInByLink();
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${words.logIn} · Lockstep`;
  }, []);

  const enterAt = async (me: Me, next: string | undefined) => {
    queryClient.clear();
    queryClient.setQueryData(['getMe', {}], me);
    noteLogIn();
    await leaveLogIn(router, { next });
  };
  const enter = (me: Me) => enterAt(me, search.next);
  const byProvider = useProviderLogIn(search.next, enterAt);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (byLink.isOffered) return byLink.use(enter);
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const body = { name: String(form.get('name')), password: String(form.get('password')) };
    logIn.mutate({ body }, { onSuccess: enter, onError: () => password.current?.select() });
  };
  const opened = useEffectEvent(() => byLink.use(enter));
  useEffect(() => {
    if (byLink.mayStart) opened();
  }, [byLink.mayStart]);

  const error = logIn.error ?? byLink.error ?? byProvider.error;
  const isRefusedLogIn = error !== null && REFUSED_LOG_IN.test(error.cause ?? '');
  const hasForm = HAS_PASSWORD_LOG_IN || byLink.isOffered;
  return (
    <Center component="main" mih="100vh" p="lg">
      <Stack component="form" className="box" gap="0.9rem" w="min(24rem, 100%)" p="xl" onSubmit={submit}>
        <Title fz="1.4rem" fw={700}>
          {words.product}
        </Title>
        {search.loggedOut === 'true' && error === null && <Notice tone="good" title={words.loggedOut} />}
        {isRefusedLogIn ? (
          <div role="alert">
            <Notice tone="bad" title={words.logInFailed}>
              {explainCause(error)}
            </Notice>
          </div>
        ) : (
          error !== null && <Failure failure={error} />
        )}
        {LOGIN_PROVIDER !== '' && !byLink.isOffered && (
          <Button onClick={byProvider.begin} loading={byProvider.isPending}>
            {words.logInByProvider(LOGIN_PROVIDER)}
          </Button>
        )}
        {hasForm && (
          <>
            {!byLink.isOffered && <LoginFields password={password} />}
            <Button
              type="submit"
              variant={LOGIN_PROVIDER === '' ? 'filled' : 'default'}
              loading={logIn.isPending || byLink.isPending}
            >
              {words.logIn}
            </Button>
          </>
        )}
        {byLink.isOffered && <div className="small">{words.linkHint}</div>}
        {!byLink.isOffered && LOGIN_PROVIDER === '' && <div className="small">{words.hint}</div>}
        <Group gap="0.5rem" wrap="nowrap">
          <Preferences />
        </Group>
      </Stack>
    </Center>
  );
}

/** The causes that a login is refused with, as opposed to a service that fails. */
const REFUSED_LOG_IN = /^(login_failed|log_in_link_invalid|password_log_in_off|operator_disabled|provider_.*)$/;

/** Logging in by the provider, which sends the browser back to this page. */
function useProviderLogIn(next: string | undefined, enter: (me: Me, next: string) => Promise<void>) {
  const begin = useChange('beginProviderLogIn');
  const finish = useChange('logInByProvider');
  const returned = useEffectEvent(() => {
    const sent = takeProviderReturn();
    if (sent !== '') finish.mutate({ body: { search: sent } }, { onSuccess: ({ me, next: to }) => enter(me, to) });
  });
  useEffect(() => returned(), []);
  return {
    begin: () =>
      begin.mutate(
        { body: { next: next !== undefined && next.length <= MAX_NEXT ? next : '' } },
        { onSuccess: ({ url }) => location.assign(url) },
      ),
    isPending: begin.isPending || finish.isPending,
    error: begin.error ?? finish.error,
  };
}

function LoginFields({ password }: { password: RefObject<HTMLInputElement | null> }) {
  return (
    <>
      <TextInput
        name="name"
        label={words.name}
        required
        withAsterisk={false}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={255}
        autoFocus={LOGIN_PROVIDER === ''}
      />
      <PasswordInput
        ref={password}
        name="password"
        label={words.password}
        withAsterisk={false}
        required
        autoComplete="current-password"
        maxLength={512}
        visibilityToggleButtonProps={{ 'aria-label': words.showPassword }}
      />
    </>
  );
}

/** Logging in by the one-time link that `npm start` prints (rules 9, Login link). */
function useLogInByLink() {
  const token = useLinkToken();
  const { mutate, variables, isPending, error } = useChange('logInByLink');
  const isTried = variables !== undefined && 'token' in variables.body && variables.body.token === token;
  const isOffered = token !== undefined && !(isTried && error?.cause === 'log_in_link_invalid');
  return {
    /** The reader opened a link whose token may still be good. */
    isOffered,
    /**
     * The link may be used without a click. If the browser has a session or another site led here, the reader decides:
     * otherwise any page could log its reader in.
     */
    mayStart: isOffered && !isTried && beganWithoutSession(),
    isPending,
    error,
    /** Logs in, and calls `onSuccess` with the operator. */
    use: (onSuccess: (me: Me) => Promise<void>) => mutate({ body: { token: token ?? '' } }, { onSuccess }),
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
