import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { overviewWords } from './words.ts';

export function OverviewPage() {
  const words = useWords(overviewWords);
  return <Page title={words.overview}>{null}</Page>;
}
