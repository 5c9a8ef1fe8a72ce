import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const operatorsWords = defineWords({
  en: { operators: 'Operators', record: 'Record' },
  zh: { operators: '操作员', record: '操作记录' },
});
