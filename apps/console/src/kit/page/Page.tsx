import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import styles from './Page.module.css';

/** A link to a page above this one. */
export type Crumb = LinkProps & { text: string };

/** The frame of a page: where it is, its title, what can be done here. */
export interface PageFrame {
  /** Names the page in its heading and in the title of the window. */
  title: string;
  /** Beside the heading: a state, a copy button. */
  beside?: ReactNode;
  /** One sentence that says what the page is for. */
  lead?: ReactNode;
  /** Links to the pages above this one, outermost first. */
  crumbs?: Crumb[];
  /** Buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The address that was opened first: there the browser starts reading at the top by itself. */
let openedFirst: string | undefined;

/** A page. Whoever comes here by a link starts reading at its heading. */
export function Page({ title, beside, lead, crumbs = [], actions, children }: PageFrame) {
  const words = useWords(kitWords);
  const heading = useRef<HTMLHeadingElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    openedFirst ??= pathname;
    if (pathname === openedFirst) return;
    openedFirst = '';
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  useEffect(() => {
    document.title = `${title} · Lockstep`;
  }, [title]);
  return (
    <div className={styles.page}>
      {crumbs.length > 0 && (
        <nav aria-label={words.breadcrumbs}>
          <ol className={styles.crumbs}>
            {crumbs.map(({ text, ...link }) => (
              <li key={link.to}>
                <Link {...link}>{text}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className={styles.head}>
        <div className={styles.titles}>
          <div className={styles.title}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {beside}
          </div>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page, with a heading of its own. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.sectionHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
