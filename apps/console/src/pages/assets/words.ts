import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const assetsWords = defineWords({
  en: { assets: 'Assets', asset: 'Asset' },
  zh: { assets: '资产', asset: '资产' },
});
