import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const searchWords = defineWords({
  en: { search: 'Search' },
  zh: { search: '查找' },
});
