import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const previewWords = defineWords({
  en: { preview: 'What would happen?' },
  zh: { preview: '预演' },
});
