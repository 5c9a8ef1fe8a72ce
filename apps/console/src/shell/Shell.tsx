import { Button } from '@mantine/core';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { MeContext, useMay, useOperation } from '../api/operations.ts';
import { Dialog } from '../kit/dialogs.tsx';
import { Query } from '../kit/page.tsx';
import { dismiss, Icon, useAnnouncements } from '../kit/signs.tsx';
import { useWords } from '../words/words.ts';
import { areas } from './areas.ts';
import { Header } from './Header.tsx';
import { Palette } from './Palette.tsx';
import styles from './Shell.module.css';
import { shellWords } from './words.ts';

/** The frame around every page but the login page. */
export function Shell({ children }: { children: ReactNode }) {
  const me = useOperation('getMe', {});
  return (
    <Query of={me}>
      {(operator) => (
        <MeContext value={operator}>
          <Frame>{children}</Frame>
        </MeContext>
      )}
    </Query>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const words = useWords(shellWords);
  const main = useRef<HTMLElement>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const router = useRouter();
  useEffect(() => router.subscribe('onResolved', () => setMenuOpen(false)), [router]);
  return (
    <div className={styles.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place of this page. */}
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          // A bare `#main` would be relative to the document's base.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words.skip}
      </a>
      <Header isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <Navigation isOpen={isMenuOpen} />
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
      <Announcements />
      <Shortcuts />
      <Palette />
    </div>
  );
}

/** Links to the areas that the operator's role may see. In a narrow window, part of the menu. */
function Navigation({ isOpen }: { isOpen: boolean }) {
  const words = useWords(shellWords);
  const may = useMay();
  return (
    <nav id="navigation" aria-label={words.navigation} className={styles.navigation} data-open={isOpen}>
      <ul>
        {areas
          .filter(({ least }) => may(least))
          .map(({ to, name }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                {words[name]}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** How long after `g` an area's key is accepted. */
const SEQUENCE_MS = 1_500;

/** Handles keyboard shortcuts, except while the operator types, and shows the dialog that lists them. */
function Shortcuts() {
  const words = useWords(shellWords);
  const navigate = useNavigate();
  const may = useMay();
  const [isShown, setShown] = useState(false);
  const began = useRef(Number.NEGATIVE_INFINITY);
  const reachable = areas.filter(({ least }) => may(least));

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const area = reachable.find(({ key }) => key === event.key);
      if (area !== undefined && event.timeStamp - began.current < SEQUENCE_MS) void navigate({ to: area.to });
      else if (event.key === '?') setShown(true);
      began.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });

  if (!isShown) return null;
  return (
    <Dialog
      title={words.shortcuts}
      onClose={() => setShown(false)}
      actions={<Button onClick={() => setShown(false)}>{words.close}</Button>}
    >
      <dl className={styles.shortcuts}>
        <Shortcut keys={['?']} text={words.shortcutHelp} />
        <Shortcut keys={['Ctrl', 'K']} text={words.searchButton} />
        <Shortcut keys={['↑', '↓']} text={words.shortcutRows} />
        {reachable.map(({ name, key }) => (
          <Shortcut key={name} keys={['g', key]} text={words.shortcutGoTo(words[name])} />
        ))}
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null;
}

/** The announcements. The live region always stays in the page, so that screen readers notice additions. */
function Announcements() {
  const words = useWords(shellWords);
  const announcements = useAnnouncements();
  return (
    <div className={styles.announcements} role="status" aria-live="polite" aria-label={words.announcements}>
      {announcements.map(({ id, tone, text }) => (
        <div key={id} className={styles.announcement} data-tone={tone}>
          <span>{text}</span>
          <button type="button" aria-label={words.dismiss} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
