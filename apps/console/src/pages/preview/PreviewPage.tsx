import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { previewWords } from './words.ts';

export function PreviewPage() {
  const words = useWords(previewWords);
  return <Page title={words.preview}>{null}</Page>;
}
