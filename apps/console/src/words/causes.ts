import { useCallback } from 'react';
import type { Phrases } from './causes-zh.ts';
import { explainInChinese, translate } from './explain-in-chinese.ts';
import { useLanguage } from './words.ts';

/** Returns a function that explains a failure: with the service's message, or with its Chinese translation. */
export function useCauseWords(): (cause: string | null, message: string | null) => string {
  const language = useLanguage();
  return useCallback(
    (cause, message) => (language === 'zh' && explainInChinese(cause, message)) || (message ?? cause ?? ''),
    [language],
  );
}

/** Returns a function that gives the service's words for a fault, or in Chinese their translation by `inChinese`. */
export function useFaultWords(inChinese: Phrases): (fault: string) => string {
  const language = useLanguage();
  return useCallback((fault) => (language === 'zh' ? translate(fault, inChinese) : fault), [language, inChinese]);
}
