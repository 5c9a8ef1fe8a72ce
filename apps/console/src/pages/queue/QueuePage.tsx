import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { queueWords } from './words.ts';

export function QueuePage() {
  const words = useWords(queueWords);
  return <Page title={words.queue}>{null}</Page>;
}
