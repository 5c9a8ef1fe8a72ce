import { AppShell, NavLink, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { MeContext, useOperation } from '../api/operations.ts';
import { Query } from '../kit/page.tsx';
import { Badge } from '../kit/signs.tsx';
import { writeNumber } from '../words/formats.ts';
import { groups, useAreas } from './areas.ts';
import { Header } from './Header.tsx';
import { Palette } from './Palette.tsx';
import styles from './Shell.module.css';
import { shellWords as words } from './words.ts';

const ShortcutsDialog = lazy(() => import('./ShortcutsDialog.tsx'));

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
  const main = useRef<HTMLElement>(null);
  const [isMenuOpen, { toggle, close }] = useDisclosure();
  const router = useRouter();
  useEffect(() => router.subscribe('onResolved', close), [router, close]);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
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
      <AppShell.Header>
        <Header isMenuOpen={isMenuOpen} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Navbar
        id="navigation"
        aria-label={words.navigation}
        bg="var(--ls-raised)"
        p="sm"
        style={{ overflowY: 'auto' }}
      >
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main ref={main} id="main" tabIndex={-1}>
        {children}
      </AppShell.Main>
      <Shortcuts />
      <Palette />
    </AppShell>
  );
}

const PROBLEMS_REFRESH_MS = 30_000;

/** Links to the areas that the operator's role may see, with the number of problems in each. */
function Navigation() {
  const { data: problems } = useOperation('getProblems', {}, { refreshMs: PROBLEMS_REFRESH_MS });
  const reachable = useAreas();
  const pathname = useLocation({ select: (location) => location.pathname });
  return groups.map((group) => {
    const ofGroup = reachable.filter((area) => area.group === group);
    if (ofGroup.length === 0) return null;
    return (
      <section key={group} aria-label={words[group]}>
        <Text size="xs" c="dimmed" fw={500} px="sm" pt="sm" pb="xs" aria-hidden>
          {words[group]}
        </Text>
        {ofGroup.map(({ to, name, Icon, problem }) => {
          const count = problem && problems?.[problem] ? writeNumber(problems[problem]) : undefined;
          const isActive = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
          return (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={
                <>
                  {words[name]}
                  {count && <VisuallyHidden>{words.comma + count}</VisuallyHidden>}
                </>
              }
              leftSection={<Icon size={16} />}
              rightSection={
                count && (
                  <span aria-hidden>
                    <Badge tone="warn">{count}</Badge>
                  </span>
                )
              }
              active={isActive}
              aria-current={isActive ? 'page' : undefined}
              style={{ borderRadius: 'var(--mantine-radius-sm)' }}
              px="sm"
              py={5}
            />
          );
        })}
      </section>
    );
  });
}

/** How long after `g` an area's key is accepted. */
const SEQUENCE_MS = 1_500;

/** Handles keyboard shortcuts, except while the operator types, and shows the dialog that lists them. */
function Shortcuts() {
  const navigate = useNavigate();
  const reachable = useAreas();
  const [isShown, setShown] = useState(false);
  const began = useRef(Number.NEGATIVE_INFINITY);

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

  return <Suspense>{isShown && <ShortcutsDialog onClose={() => setShown(false)} />}</Suspense>;
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null;
}
