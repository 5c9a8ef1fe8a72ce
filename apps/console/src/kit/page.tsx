import { operations } from 'virtual:operations';
import type { ConsoleOperationId } from '@lockstep/contract/console';
import { Button, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { type CallFailure, useMayCall, useMe } from '../api/index.ts';
import { useCauseWords, useFaultWords } from '../words/causes.ts';
import { fieldFaultsInChinese } from '../words/causes-zh.ts';
import { kitWords } from '../words/kit.ts';
import { useCodeNames, useWords } from '../words/words.ts';
import noticeStyles from './Notice.module.css';
import pageStyles from './Page.module.css';
import { Notice } from './signs.tsx';
import { CopyId } from './values.tsx';

/** A link to a parent page. */
export type Crumb = LinkProps & { text: string };

interface PageFrame {
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
    <div className={pageStyles.page}>
      {crumbs.length > 0 && (
        <nav aria-label={words.breadcrumbs}>
          <ol className={pageStyles.crumbs}>
            {crumbs.map(({ text, ...link }) => (
              <li key={link.to}>
                <Link {...link}>{text}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className={pageStyles.head}>
        <div className={pageStyles.titles}>
          <div className={pageStyles.title}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {beside}
          </div>
          {lead !== undefined && <p className={pageStyles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={pageStyles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A section of a page with its own heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={pageStyles.section} aria-label={title}>
      <div className={pageStyles.sectionHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Renders loaded data, a loading state, or a failure. After a failed reload, the previous data stays. */
export function Query<Data>({
  of,
  children,
}: {
  of: UseQueryResult<Data, CallFailure>;
  children: (data: Data) => ReactNode;
}) {
  const words = useWords(kitWords);
  const { data, error, refetch } = of;
  return (
    <>
      {error !== null && <Failure failure={error} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
      {data === undefined && error === null && (
        <output>
          <Loader size="sm" aria-hidden="true" /> {words.loading}
        </output>
      )}
    </>
  );
}

/** Shows what failed, why, what to do, and the request ID to search the log for. */
export function Failure({ failure, onRetry }: { failure: CallFailure; onRetry?: () => void }) {
  const words = useWords(kitWords);
  const causeWords = useCauseWords();
  const fieldFaultWords = useFaultWords(fieldFaultsInChinese);
  const { title, advice } = useExplanation(failure);
  const { cause, requestId, status, message, faults } = failure;
  return (
    <div className={noticeStyles.notice} data-tone="bad" role="alert">
      <p className={noticeStyles.title}>{title}</p>
      {status > 0 && <p className={noticeStyles.advice}>{causeWords(cause, message)}</p>}
      {faults.length > 1 && (
        <ul className={noticeStyles.faults}>
          {faults.map(({ path, message: what }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={index}>
              <code>{path}</code> {fieldFaultWords(what)}
            </li>
          ))}
        </ul>
      )}
      <p className={noticeStyles.advice}>{advice}</p>
      {(requestId !== null || cause !== null) && status > 0 && (
        <p className={noticeStyles.facts}>
          {cause !== null && (
            <>
              {words.cause}
              {words.colon}
              <code>{cause}</code>{' '}
            </>
          )}
          {requestId !== null && (
            <>
              {words.requestId}
              {words.colon}
              <CopyId id={requestId} what={words.requestId} />
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && cause !== 'role_missing' && (
        <div className={noticeStyles.actions}>
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {words.tryAgain}
          </Button>
        </div>
      )}
    </div>
  );
}

function useExplanation({ status, cause }: CallFailure): { title: string; advice: string } {
  const words = useWords(kitWords);
  if (status === 0) return { title: words.unreachable, advice: words.unreachableAdvice };
  if (cause === 'role_missing') return { title: words.forbidden, advice: words.forbiddenAdvice };
  if (status === 404) return { title: words.missing, advice: words.missingAdvice };
  if (status >= 500) return { title: words.faulty, advice: words.faultyAdvice };
  return { title: words.failed, advice: words.refusedAdvice };
}

/** Shows a form if the operator's role may call its operation; otherwise says which role may. */
export function RoleGate({ operation, children }: { operation: ConsoleOperationId; children: ReactNode }) {
  const words = useWords(kitWords);
  const codeName = useCodeNames();
  const { role } = useMe();
  if (useMayCall()(operation)) return children;
  return (
    <div role="alert">
      <Notice tone="bad" title={words.forbidden}>
        <p>{words.roleNeeded(codeName(operations[operation].role), codeName(role))}</p>
        <p>{words.forbiddenAdvice}</p>
      </Notice>
    </div>
  );
}
