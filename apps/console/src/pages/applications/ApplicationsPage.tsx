import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { applicationsWords } from './words.ts';

export function ApplicationsPage() {
  const words = useWords(applicationsWords);
  return <Page title={words.applications}>{null}</Page>;
}
