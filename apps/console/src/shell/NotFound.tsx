import { Link } from '@tanstack/react-router';
import { Page } from '../kit/page/Page.tsx';
import { Empty } from '../kit/signs/Empty.tsx';
import { kitWords } from '../words/kit.ts';
import { useWords } from '../words/words.ts';
import { shellWords } from './words.ts';

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
