import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useOperation } from '../api/index.ts';
import { MeContext } from '../api/me.ts';
import { Query } from '../kit/page/Query.tsx';
import { useWords } from '../words/words.ts';
import { Announcements } from './Announcements.tsx';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import styles from './Shell.module.css';
import { Shortcuts } from './Shortcuts.tsx';
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
    </div>
  );
}
