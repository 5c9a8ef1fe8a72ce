import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import styles from './Page.module.css';

/** A link to a parent page. */
export type Crumb = LinkProps & { text: string };

export interface PageFrame {
  /** The page's heading and window title. */
  title: string;
  /** Shown beside the heading: a state, a copy button. */
  beside?: ReactNode;
  /** One sentence on what the page is for. */
  lead?: ReactNode;
  /** Links to parent pages, outermost first. */
  crumbs?: Crumb[];
  actions?: ReactNode;
  children: ReactNode;
}

/** The first address opened. There the browser itself starts reading at the top. */
let openedFirst: string | undefined;

/** A page. After in-app navigation it moves the focus to its heading. */
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

/** A section of a page with its own heading. */
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
