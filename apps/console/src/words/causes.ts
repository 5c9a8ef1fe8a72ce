import { useCallback } from 'react';
import { causesInChinese } from './causes-zh.ts';
import { useLanguage } from './languages.ts';

const inChinese = new Map(Object.entries(causesInChinese));

/**
 * Says why something was refused: in English the server's own message, which names what it is about; in Chinese what
 * the cause means, and the message behind it.
 */
export function useCauseWords(): (cause: string | null, message: string | null) => string {
  const language = useLanguage();
  return useCallback(
    (cause, message) => {
      const known = language === 'zh' && cause !== null ? inChinese.get(cause) : undefined;
      return known === undefined ? (message ?? cause ?? '') : [known, message].filter(Boolean).join(' — ');
    },
    [language],
  );
}
