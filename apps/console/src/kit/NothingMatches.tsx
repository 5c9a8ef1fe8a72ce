import { useWords } from '../words/words.ts';
import { Empty } from './Empty.tsx';
import { kitWords } from './words.ts';

/** What a list shows that has no rows because of its filters. */
export function NothingMatches() {
  const words = useWords(kitWords);
  return <Empty title={words.nothingFiltered}>{words.nothingFilteredAdvice}</Empty>;
}
