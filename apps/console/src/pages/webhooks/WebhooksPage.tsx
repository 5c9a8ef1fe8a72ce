import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { webhooksWords } from './words.ts';

export function WebhooksPage() {
  const words = useWords(webhooksWords);
  return <Page title={words.webhooks}>{null}</Page>;
}
