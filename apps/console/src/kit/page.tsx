import { operations } from 'virtual:operations';
import type { ConsoleOperationId } from '@lockstep/contract/console';
import { Alert, Breadcrumbs, Button, Group, Loader, Stack, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { type ReactNode, use, useEffect, useRef } from 'react';
import type { CallFailure } from '../api/calls.ts';
import { MeContext, useMayCall, useMe } from '../api/operations.ts';
import { explainCause } from '../words/causes.ts';
import { codeName } from '../words/formats.ts';
import { kitWords as words } from '../words/kit.ts';
import { CopyId, Labeled } from './values.tsx';

/*
 * How to make a page:
 *
 * 1. Add it to `routes.tsx` with its path, its file and its component.
 *
 * 2. Show what the service has by `List`, as `pages/batches/Batches.tsx` does, or by
 *    `useOperation(id, call, { refreshMs })`, which `Page` and `Section` take as `of`.
 *
 *    Lists, filters and tabs read and change the address themselves. Other components do so by `useAddress`.
 *
 * 3. Put all text into `pages/<area>/words.ts`: `defineAreaWords({ name: [English, Chinese] })`. It returns them in the
 *    language of the page, with the words that areas share (`words/define-words.ts`). Tests read all of them from
 *    `all-words.ts`.
 *
 * 4. Make changes with `ConfirmButton`: it asks first, calls the operation, announces success and shows failures in its
 *    dialog. It hides itself from roles that may not call the operation. Show a password or secret by `OneTimeSecret`.
 *    Hide other actions by `useMayCall()('bindApplication') && <…/>`.
 *
 * Other fields and buttons come from Mantine. Any further component of it needs its styles in `styles.css`. Never
 * insert HTML: names may contain markup.
 */

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
}

/** What a page or a section shows, which may be made of what `of` loads. */
type Content<Data> =
  | { of?: undefined; children: ReactNode }
  | { of: UseQueryResult<Data, CallFailure>; children: (data: Data) => ReactNode };

/** The first address opened. There the browser itself starts reading at the top. */
let openedFirst: string | undefined;

/** A page. After in-app navigation it moves the focus to its heading. */
export function Page<Data>({ title, beside, lead, crumbs = [], actions, ...content }: PageFrame & Content<Data>) {
  const limitation = useLimitation();
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
    <Stack maw="100rem" miw={0}>
      {crumbs.length > 0 && (
        <nav aria-label={words.breadcrumbs}>
          <Breadcrumbs fz="sm">
            {crumbs.map(({ text, ...link }) => (
              <Link key={link.to} {...link}>
                {text}
              </Link>
            ))}
          </Breadcrumbs>
        </nav>
      )}
      <Group gap="md" justify="space-between">
        <div style={{ minWidth: 0 }}>
          <Group gap="sm">
            <Title ref={heading} tabIndex={-1} lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {beside}
          </Group>
          {lead !== undefined && (
            <div className="small">
              {lead}
              {limitation}
            </div>
          )}
        </div>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
      {content.of === undefined ? content.children : <Query of={content.of}>{content.children}</Query>}
    </Stack>
  );
}

/** Returns a sentence that names the channels of an operator who is limited to some; otherwise an empty one. */
function useLimitation(): string {
  const channels = use(MeContext)?.channels;
  return channels ? words.gap + words.limitedTo(channels.join(words.comma)) : '';
}

/** A section of a page with its own heading. */
export function Section<Data>({ title, actions, ...content }: Pick<PageFrame, 'title' | 'actions'> & Content<Data>) {
  return (
    <Stack component="section" className="box" gap="sm" px="lg" py="md" miw={0} aria-label={title}>
      <Group gap="sm" justify="space-between">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {content.of === undefined ? content.children : <Query of={content.of}>{content.children}</Query>}
    </Stack>
  );
}

interface QueryProps<Data> {
  of: UseQueryResult<Data, CallFailure>;
  children: (data: Data) => ReactNode;
}

/** Renders loaded data, a loading state, or a failure. After a failed reload, the previous data stays. */
export function Query<Data>({ of: { data, error, refetch }, children }: QueryProps<Data>) {
  return (
    <>
      {error !== null && <Failure failure={error} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
      {data === undefined && error === null && <Loading />}
    </>
  );
}

/** Says that something loads. */
export function Loading() {
  return (
    <output>
      <Loader size="sm" aria-hidden="true" /> {words.loading}
    </output>
  );
}

/** Scrolls to its content and focuses it when it appears: the answer to a button above it. */
export function Answer({ children }: { children: ReactNode }) {
  return (
    <div ref={focus} tabIndex={-1} style={{ outline: 'none' }}>
      {children}
    </div>
  );
}

const focus = (element: HTMLElement | null) => element?.focus();

/** Shows what failed, why, what to do, and the request ID to search the log for. */
export function Failure({ failure, onRetry }: { failure: CallFailure; onRetry?: (() => void) | undefined }) {
  const { title, advice } = useExplanation(failure);
  const { cause, requestId, status, faults } = failure;
  return (
    <Alert color="red" role="alert" title={title}>
      {status > 0 && <div>{explainCause(failure)}</div>}
      {faults.length > 1 && (
        <ul>
          {faults.map((fault, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={index}>
              <code>{fault.path}</code> {explainCause(fault).replace(`${fault.path}：`, '')}
            </li>
          ))}
        </ul>
      )}
      <div>{advice}</div>
      {status > 0 && (requestId ?? cause) !== null && (
        <div>
          {cause !== null && <Labeled label={words.cause} value={<code>{cause}</code>} />}{' '}
          {requestId !== null && (
            <Labeled label={words.requestId} value={<CopyId id={requestId} what={words.requestId} />} />
          )}
        </div>
      )}
      {onRetry !== undefined && status !== 400 && cause !== 'role_missing' && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={onRetry}>
          {words.tryAgain}
        </Button>
      )}
    </Alert>
  );
}

function useExplanation({ status, cause }: CallFailure): { title: string; advice: string } {
  const limitation = useLimitation();
  if (cause === 'incomplete') return { title: words.incomplete, advice: words.incompleteAdvice };
  if (status === 0) return { title: words.unreachable, advice: words.unreachableAdvice };
  if (cause === 'role_missing') return { title: words.forbidden, advice: words.forbiddenAdvice };
  if (status === 404) return { title: words.missing, advice: words.missingAdvice + limitation };
  if (status >= 500) return { title: words.faulty, advice: words.faultyAdvice };
  return { title: words.failed, advice: words.refusedAdvice };
}

/** Shows a form if the operator's role may call its operation; otherwise says which role may. */
export function RoleGate({ operation, children }: { operation: ConsoleOperationId; children: ReactNode }) {
  const { role } = useMe();
  if (useMayCall()(operation)) return children;
  return (
    <Alert color="red" role="alert" title={words.forbidden}>
      <div>{words.roleNeeded(codeName(operations[operation].role), codeName(role))}</div>
      <div>{words.forbiddenAdvice}</div>
    </Alert>
  );
}
