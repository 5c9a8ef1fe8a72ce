import { useCallback } from 'react';
import { fieldFaultsInChinese } from './causes-zh.ts';
import { explainInChinese, translate } from './explain-in-chinese.ts';
import { useLanguage } from './languages.ts';

/** Returns a function that explains a failure: with the service's message, or with its Chinese translation. */
export function useCauseWords(): (cause: string | null, message: string | null) => string {
  const language = useLanguage();
  return useCallback(
    (cause, message) => (language === 'zh' && explainInChinese(cause, message)) || (message ?? cause ?? ''),
    [language],
  );
}

/** Returns a function that says what a field must be: in the service's words, or in Chinese. */
export function useFieldFaultWords(): (fault: string) => string {
  const language = useLanguage();
  return useCallback((fault) => (language === 'zh' ? translate(fault, fieldFaultsInChinese) : fault), [language]);
}
