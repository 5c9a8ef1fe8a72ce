import { Button } from '@mantine/core';
import { Page } from '../kit/page/Page.tsx';
import { Notice } from '../kit/signs/Notice.tsx';
import { kitWords } from '../words/kit.ts';
import { useWords } from '../words/words.ts';

/** What is shown in place of a page that failed while it was drawn, or whose files are not there any more. */
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
