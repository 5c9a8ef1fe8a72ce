import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { operatorsWords } from './words.ts';

export function OperatorsPage() {
  const words = useWords(operatorsWords);
  return <Page title={words.operators}>{null}</Page>;
}
