import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ordersWords } from './words.ts';

export function OrderPage() {
  const words = useWords(ordersWords);
  return <Page title={words.order}>{null}</Page>;
}
