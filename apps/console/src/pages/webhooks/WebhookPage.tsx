import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { webhooksWords } from './words.ts';

export function WebhookPage() {
  const words = useWords(webhooksWords);
  return <Page title={words.webhook}>{null}</Page>;
}
