import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Loading, Page } from '../kit/page.tsx';
import { Empty, Notice } from '../kit/signs.tsx';
import { kitWords } from '../words/kit.ts';
import { useWords } from '../words/words.ts';
import { shellWords } from './words.ts';

/** Replaces a page that failed to render, or whose files a newer release has removed. */
export function BrokenPage({ error }: { error: unknown }) {
  const words = useWords(kitWords);
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

/** Shown for an unknown address. */
export function NotFound() {
  const kit = useWords(kitWords);
  const words = useWords(shellWords);
  return (
    <Page title={kit.missing}>
      <Empty title={kit.missingAdvice}>
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
