import { ActionIcon, Button, Kbd, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMe } from '../api/operations.ts';
import iconUrl from '../icon.svg';
import { Choice } from '../kit/inputs.tsx';
import { Icon } from '../kit/signs.tsx';
import { chooseLanguage, languages, useCodeNames, useLanguage, useWords } from '../words/words.ts';
import { useLogOut } from './log-out.ts';
import { openPalette } from './Palette.tsx';
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
      <SearchButton />
      <Account isOpen={isMenuOpen} />
    </header>
  );
}

/** Opens the palette. */
function SearchButton() {
  const words = useWords(shellWords);
  return (
    <Button
      className={styles.find}
      variant="default"
      fw="normal"
      justify="space-between"
      leftSection={<Icon name="search" />}
      rightSection={
        <Kbd size="xs" aria-hidden>
          Ctrl K
        </Kbd>
      }
      onClick={openPalette}
    >
      {words.search}
    </Button>
  );
}

/** In a narrow window, part of the menu. */
function Account({ isOpen }: { isOpen: boolean }) {
  const words = useWords(shellWords);
  const codeName = useCodeNames();
  const { name, role, byProvider } = useMe();
  const logOut = useLogOut();
  return (
    <section id="account" className={styles.account} data-open={isOpen} aria-label={words.account}>
      <Preferences />
      <span>{words.loggedInAs(name, codeName(role))}</span>
      {!byProvider && <Link to="/password">{words.ownPassword}</Link>}
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
