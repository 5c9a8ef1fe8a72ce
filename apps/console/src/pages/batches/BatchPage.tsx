import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { batchesWords } from './words.ts';

export function BatchPage() {
  const words = useWords(batchesWords);
  return <Page title={words.batch}>{null}</Page>;
}
