import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const overviewWords = defineWords({
  en: { overview: 'Overview' },
  zh: { overview: '总览' },
});
