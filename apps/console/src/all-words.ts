import * as areas from './areas-of-words.ts';
import { wordsIn } from './words/define-words.ts';
import type { Language } from './words/language.ts';

const areasIn = (language: Language) =>
  Object.fromEntries(Object.entries(areas).map(([area, words]) => [area, wordsIn(words, language)])) as typeof areas;

/**
 * The console's words by area, for tests: they look for these words, test ids and data, so that a sentence can change
 * without a test.
 */
export const en = areasIn('en');
export const zh = areasIn('zh');
export { translateFault } from './pages/webhooks/faults-zh.ts';
export { causesInChinese, explainInChinese, wordsInChinese } from './words/causes-zh.ts';
