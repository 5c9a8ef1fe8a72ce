import type { AreaWords } from './define-words.ts';
import { useLanguage } from './languages.ts';

/** The words of an area in the current language. */
export function useWords<Words>(words: AreaWords<Words>): AreaWords<Words>['zh'] {
  return words[useLanguage()] as AreaWords<Words>['zh'];
}
