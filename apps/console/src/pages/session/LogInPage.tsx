import { Button, PasswordInput, TextInput } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
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
import { sessionWords } from './words.ts';

const route = getRouteApi('/log-in');

/** Begins a session, and leads back to where its reader was. */
export function LogInPage() {
  const words = useWords(sessionWords);
  const router = useRouter();
  const search = route.useSearch();
  const logIn = useChange('logIn');
  const causeWords = useCauseWords();
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${words.logIn} · Lockstep`;
  }, [words]);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { name: String(form.get('name')), password: String(form.get('password')) };
    logIn.mutate(
      { body },
      {
        onSuccess: async (me) => {
          queryClient.clear();
          queryClient.setQueryData(['getMe', {}], me);
          noteLogIn();
          await leaveLogIn(router, search);
        },
        onError: () => password.current?.select(),
      },
    );
  };
  const { error } = logIn;
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <h1>{words.product}</h1>
        {search.loggedOut === 'true' && error === null && <Notice tone="good" title={words.loggedOut} />}
        {error?.cause === 'login_failed' ? (
          <div role="alert">
            <Notice tone="bad" title={words.logInFailed}>
              {causeWords(error.cause, error.message)}
            </Notice>
          </div>
        ) : (
          error !== null && <Failure failure={error} />
        )}
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
          maxLength={255}
          visibilityToggleButtonProps={{ 'aria-label': words.showPassword }}
        />
        <Button type="submit" loading={logIn.isPending}>
          {words.logIn}
        </Button>
        <p className={styles.hint}>{words.hint}</p>
        <div className={styles.preferences}>
          <Preferences />
        </div>
      </form>
    </main>
  );
}
