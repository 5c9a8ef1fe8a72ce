import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const applicationsWords = defineWords({
  en: { applications: 'Applications', application: 'Application' },
  zh: { applications: '应用', application: '应用' },
});
