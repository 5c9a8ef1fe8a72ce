import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { searchWords } from './words.ts';

export function SearchPage() {
  const words = useWords(searchWords);
  return <Page title={words.search}>{null}</Page>;
}
