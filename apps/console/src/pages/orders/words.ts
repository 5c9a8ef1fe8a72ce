import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const ordersWords = defineWords({
  en: { orders: 'Orders', order: 'Order' },
  zh: { orders: '订单', order: '订单' },
});
