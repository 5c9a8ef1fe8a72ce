import { useCallback } from 'react';
import { explainInChinese } from './explain-in-chinese.ts';
import { useLanguage } from './languages.ts';

/** Returns a function that explains a failure: with the service's message, or with its Chinese translation. */
export function useCauseWords(): (cause: string | null, message: string | null) => string {
  const language = useLanguage();
  return useCallback(
    (cause, message) => (language === 'zh' && explainInChinese(cause, message)) || (message ?? cause ?? ''),
    [language],
  );
}
