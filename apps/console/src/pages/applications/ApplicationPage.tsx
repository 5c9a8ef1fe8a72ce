import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { applicationsWords } from './words.ts';

export function ApplicationPage() {
  const words = useWords(applicationsWords);
  return <Page title={words.application}>{null}</Page>;
}
