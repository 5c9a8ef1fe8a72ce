import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

export function EnterprisePage() {
  const words = useWords(enterprisesWords);
  return <Page title={words.enterprise}>{null}</Page>;
}
