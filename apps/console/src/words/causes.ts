import { useCallback } from 'react';
import { explainInChinese, type Failed } from './causes-zh.ts';
import { useLanguage } from './words.ts';

/** Returns a function that explains a failure: with the service's message, or in Chinese with the same values. */
export function useCauseWords(): (failure: Failed) => string {
  const language = useLanguage();
  return useCallback(
    (failure) => (language === 'zh' && explainInChinese(failure)) || (failure.message ?? failure.cause ?? ''),
    [language],
  );
}
