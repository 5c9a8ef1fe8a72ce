import type { Me } from '@lockstep/contract/console';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { useChange } from '../../api/index.ts';
import { queryClient } from '../../api/query-client.ts';
import { noteLogIn } from '../../api/session-events.ts';
import { Failure } from '../../kit/page/Failure.tsx';
import { Notice } from '../../kit/signs/Notice.tsx';
import { leaveLogIn } from '../../shell/follow-session.ts';
import { Preferences } from '../../shell/Header.tsx';
import { useCauseWords } from '../../words/causes.ts';
import { useWords } from '../../words/words.ts';
import styles from './LogInPage.module.css';
import { useLogInByLink } from './log-in-by-link.ts';
import { sessionWords } from './words.ts';

const route = getRouteApi('/log-in');

/** Logs in with a password or a one-time link, then returns to the page that the operator came from. */
export function LogInPage() {
  const words = useWords(sessionWords);
  const router = useRouter();
  const search = route.useSearch();
  const logIn = useChange('logIn');
  const byLink = useLogInByLink();
  const causeWords = useCauseWords();
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${words.logIn} · Lockstep`;
  }, [words]);

  const enter = async (me: Me) => {
    queryClient.clear();
    queryClient.setQueryData(['getMe', {}], me);
    noteLogIn();
    await leaveLogIn(router, search);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (byLink.isOffered) return byLink.use(enter);
    const form = new FormData(event.currentTarget);
    const body = { name: String(form.get('name')), password: String(form.get('password')) };
    logIn.mutate({ body }, { onSuccess: enter, onError: () => password.current?.select() });
  };
  const opened = useEffectEvent(() => byLink.use(enter));
  useEffect(() => {
    if (byLink.mayStart) opened();
  }, [byLink.mayStart]);

  const error = logIn.error ?? byLink.error;
  const isRefusedLogIn = error?.cause === 'login_failed' || error?.cause === 'log_in_link_invalid';
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <h1>{words.product}</h1>
        {search.loggedOut === 'true' && error === null && <Notice tone="good" title={words.loggedOut} />}
        {isRefusedLogIn ? (
          <div role="alert">
            <Notice tone="bad" title={words.logInFailed}>
              {causeWords(error.cause, error.message)}
            </Notice>
          </div>
        ) : (
          error !== null && <Failure failure={error} />
        )}
        {!byLink.isOffered && <LoginFields password={password} />}
        <Button type="submit" loading={logIn.isPending || byLink.isPending}>
          {words.logIn}
        </Button>
        <p className={styles.hint}>{byLink.isOffered ? words.linkHint : words.hint}</p>
        <div className={styles.preferences}>
          <Preferences />
        </div>
      </form>
    </main>
  );
}

function LoginFields({ password }: { password: RefObject<HTMLInputElement | null> }) {
  const words = useWords(sessionWords);
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
        autoFocus
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
