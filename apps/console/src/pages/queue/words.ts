import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const queueWords = defineWords({
  en: { queue: 'Queue' },
  zh: { queue: '队列' },
});
