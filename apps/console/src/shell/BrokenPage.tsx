import { Button } from '@mantine/core';
import { Page } from '../kit/page/Page.tsx';
import { Notice } from '../kit/signs/Notice.tsx';
import { kitWords } from '../words/kit.ts';
import { useWords } from '../words/words.ts';

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
