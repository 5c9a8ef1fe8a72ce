import { ActionIcon, Button, TextInput, useMantineColorScheme } from '@mantine/core';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { CallFailure, callOperation, noteLogOut } from '../api/calls.ts';
import { useMe } from '../api/operations.ts';
import iconUrl from '../icon.svg';
import { Choice } from '../kit/inputs.tsx';
import { announce, Icon } from '../kit/signs.tsx';
import { chooseLanguage, languages, useCodeNames, useLanguage, useWords } from '../words/words.ts';
import styles from './Shell.module.css';
import { shellWords } from './words.ts';

/** The header of every page: search, language, theme and account. */
export function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const words = useWords(shellWords);
  return (
    <header className={styles.header}>
      <ActionIcon
        className={styles.menuButton}
        variant="default"
        size="lg"
        aria-label={words.menu}
        aria-expanded={isMenuOpen}
        aria-controls="account navigation"
        onClick={onMenu}
      >
        <Icon name="menu" />
      </ActionIcon>
      <Link to="/" className={styles.brand}>
        <img src={iconUrl} alt="" width="24" height="24" />
        {words.product}
      </Link>
      <SearchBox />
      <Account isOpen={isMenuOpen} />
    </header>
  );
}

function SearchBox() {
  const words = useWords(shellWords);
  const navigate = useNavigate();
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('text') ?? '').trim();
    if (text !== '') void navigate({ to: '/search', search: { text } });
  };
  return (
    <search className={styles.find}>
      <form onSubmit={search}>
        <TextInput
          id="search"
          name="text"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          autoComplete="off"
          spellCheck={false}
          rightSection={
            <ActionIcon type="submit" variant="subtle" color="gray" aria-label={words.searchButton}>
              <Icon name="search" />
            </ActionIcon>
          }
        />
      </form>
    </search>
  );
}

/** In a narrow window, part of the menu. */
function Account({ isOpen }: { isOpen: boolean }) {
  const words = useWords(shellWords);
  const codeName = useCodeNames();
  const { name, role } = useMe();
  const logOut = useLogOut();
  return (
    <section id="account" className={styles.account} data-open={isOpen} aria-label={words.account}>
      <Preferences />
      <span>{words.loggedInAs(name, codeName(role))}</span>
      <Link to="/password">{words.ownPassword}</Link>
      <Button size="compact-sm" variant="default" onClick={() => void logOut()}>
        {words.logOut}
      </Button>
    </section>
  );
}

/** Selects language and theme; the browser remembers both. */
export function Preferences() {
  const words = useWords(shellWords);
  const language = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Choice size="xs" aria-label={words.language} value={language} options={languages} onChange={chooseLanguage} />
      <Choice
        size="xs"
        aria-label={words.colors}
        value={colorScheme}
        options={{ auto: words.auto, light: words.light, dark: words.dark }}
        onChange={setColorScheme}
      />
    </>
  );
}

/** Returns a function that ends the session in all tabs. */
function useLogOut(): () => Promise<void> {
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
