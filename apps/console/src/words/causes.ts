import { useCallback } from 'react';
import { COMPLETE_IN_CHINESE, causesInChinese } from './causes-zh.ts';
import { useLanguage } from './languages.ts';

const inChinese = new Map(Object.entries(causesInChinese));

/**
 * Returns a function that explains a failure: in English with the service's message, which has the details; in Chinese
 * with the meaning of the cause, followed by that message if it has values that the meaning lacks.
 */
export function useCauseWords(): (cause: string | null, message: string | null) => string {
  const language = useLanguage();
  return useCallback(
    (cause, message) => {
      const known = language === 'zh' && cause !== null ? inChinese.get(cause) : undefined;
      if (known === undefined) return message ?? cause ?? '';
      return COMPLETE_IN_CHINESE.has(cause) ? known : `${known}${message ?? ''}`;
    },
    [language],
  );
}
