import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { assetsWords } from './words.ts';

export function AssetPage() {
  const words = useWords(assetsWords);
  return <Page title={words.asset}>{null}</Page>;
}
