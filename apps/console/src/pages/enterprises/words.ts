import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const enterprisesWords = defineWords({
  en: { enterprises: 'Enterprises', enterprise: 'Enterprise' },
  zh: { enterprises: '企业', enterprise: '企业' },
});
