import { useCallback } from 'react';
import { causesInChinese } from './causes-zh.ts';
import { useLanguage } from './languages.ts';

const inChinese = new Map(Object.entries(causesInChinese));

/**
 * Returns a function that explains a failure: in English with the service's message, which has the details; in Chinese
 * with the meaning of the cause, followed by that message.
 */
export function useCauseWords(): (cause: string | null, message: string | null) => string {
  const language = useLanguage();
  return useCallback(
    (cause, message) => {
      const known = language === 'zh' && cause !== null ? inChinese.get(cause) : undefined;
      return known === undefined ? (message ?? cause ?? '') : `${known}${message ?? ''}`;
    },
    [language],
  );
}
