import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { batchesWords } from './words.ts';

export function BatchesPage() {
  const words = useWords(batchesWords);
  return <Page title={words.batches}>{null}</Page>;
}
