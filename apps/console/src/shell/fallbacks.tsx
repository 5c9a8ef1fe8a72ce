import { Button } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { CallFailure } from '../api/calls.ts';
import { Failure, Loading, Page } from '../kit/page.tsx';
import { Empty, Notice } from '../kit/signs.tsx';
import { kitWords as words } from '../words/kit.ts';

/** Replaces a page that failed to render or to load. */
export function BrokenPage({ error }: { error: unknown }) {
  if (error instanceof CallFailure) return <UnreachablePage failure={error} />;
  return (
    <Page title={words.pageBroken}>
      <Notice tone="bad" title={words.pageBrokenAdvice}>
        <code>{String(error)}</code>
      </Notice>
      <div>
        <Button onClick={() => window.location.reload()}>{words.reload}</Button>
      </div>
    </Page>
  );
}

const RETRY_MS = 3_000;

/** Replaces a page whose files could not be loaded because the service is down, until it answers. */
function UnreachablePage({ failure }: { failure: CallFailure }) {
  const reload = () =>
    fetch(document.baseURI, { method: 'HEAD' }).then(
      () => window.location.reload(),
      () => {},
    );
  useInterval(reload, RETRY_MS, { autoInvoke: true });
  return (
    <Page title={words.pageBroken}>
      <Failure failure={failure} onRetry={() => void reload()} />
    </Page>
  );
}

/** Shown for an unknown address. */
export function NotFound() {
  return (
    <Page title={words.missing}>
      <Empty title={words.missingAdvice}>
        <Link to="/">{words.overview}</Link>
      </Empty>
    </Page>
  );
}

/** Shown while a page's script loads. */
export function PendingPage() {
  return (
    <div style={{ padding: '1.25rem' }}>
      <Loading />
    </div>
  );
}
