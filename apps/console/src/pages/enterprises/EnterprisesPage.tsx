import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

export function EnterprisesPage() {
  const words = useWords(enterprisesWords);
  return <Page title={words.enterprises}>{null}</Page>;
}
