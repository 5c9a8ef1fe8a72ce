import { useCallback } from 'react';
import { explainInChinese, type Failed } from './causes-zh.ts';
import { kitWords } from './kit.ts';
import { writeTime } from './times.ts';
import { useLanguage, useWords } from './words.ts';

/**
 * Returns a function that explains a failure: with the service's message, or in Chinese with the same values. Dates in
 * milliseconds have the time in the reader's time zone beside them.
 */
export function useCauseWords(): (failure: Failed) => string {
  const language = useLanguage();
  const { gap, aside } = useWords(kitWords);
  return useCallback(
    (failure) => {
      const text = (language === 'zh' && explainInChinese(failure)) || (failure.message ?? failure.cause ?? '');
      const withTime = (date: string, ms: string) => `${date}${gap}${aside(writeTime(Number(ms), 'local'))}`;
      return text.replace(/limit(?:Start|End)Date (\d+)/g, withTime);
    },
    [language, gap, aside],
  );
}
