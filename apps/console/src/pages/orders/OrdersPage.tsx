import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ordersWords } from './words.ts';

export function OrdersPage() {
  const words = useWords(ordersWords);
  return <Page title={words.orders}>{null}</Page>;
}
