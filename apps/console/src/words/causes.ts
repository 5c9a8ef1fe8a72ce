import { explainInChinese, type Failed } from './causes-zh.ts';
import { commonWords } from './define-words.ts';
import { language } from './language.ts';
import { writeTime } from './times.ts';

/**
 * Explains a failure: with the service's message, or in Chinese with the same values. Dates in milliseconds have the
 * time in the reader's time zone beside them.
 */
export function explainCause(failure: Failed): string {
  const text = (language === 'zh' && explainInChinese(failure)) || (failure.message ?? failure.cause ?? '');
  const { gap, aside } = commonWords;
  return text.replace(
    /limit(?:Start|End)Date (\d+)/g,
    (date: string, ms: string) => `${date}${gap}${aside(writeTime(Number(ms), 'local'))}`,
  );
}
