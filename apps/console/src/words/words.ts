import { useMemo, useSyncExternalStore } from 'react';
import { codeNames } from './codes.ts';
import { type AreaWords, commonWords, TAGS } from './define-words.ts';
import { spaceOut, UNITS, writeRelativeTime } from './times.ts';

/** The words of an area in the current language. */
export function useWords<Words>(words: AreaWords<Words>): AreaWords<Words>['zh'] {
  return words[useLanguage()];
}

/** Returns the words of an area in the current language, outside a component. */
export function readWords<Words>(words: AreaWords<Words>): AreaWords<Words>['zh'] {
  return words[current];
}

/** Returns a function that writes a code with its name: `Purchase (new_buy)`. Returns an unknown code unchanged. */
export function useCodeNames(): (code: string) => string {
  const names: Record<string, string> = useWords(codeNames);
  const { gap, aside } = useWords(commonWords);
  return (code) => (names[code] === undefined || names[code] === code ? code : `${names[code]}${gap}${aside(code)}`);
}

/** The languages of the console, by their own names. */
export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

const REMEMBERED = 'lockstep-language';

const listeners = new Set<() => void>();
let current: Language = chooseFirst();
document.documentElement.lang = TAGS[current];

function chooseFirst(): Language {
  const remembered = localStorage.getItem(REMEMBERED);
  if (remembered !== null && remembered in languages) return remembered as Language;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Switches the language, and remembers it in the browser. */
export function chooseLanguage(language: Language): void {
  current = language;
  localStorage.setItem(REMEMBERED, language);
  document.documentElement.lang = TAGS[language];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the current language. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => current);
}

/** Returns the current language's tag for Intl. */
export function useLanguageTag(): string {
  return TAGS[useLanguage()];
}

/** Returns a function that formats numbers in the current language. */
export function useNumberFormat(options?: Intl.NumberFormatOptions): (value: number) => string {
  const tag = useLanguageTag();
  const key = JSON.stringify(options ?? {});
  return useMemo(() => {
    const format = new Intl.NumberFormat(tag, JSON.parse(key) as Intl.NumberFormatOptions);
    return (value) => format.format(value);
  }, [tag, key]);
}

/** Rates below this are written with a fraction. */
const FEW = 10;

/** Returns a function that formats a rate per second. */
export function useRate(): (perSecond: number) => string {
  const write = useNumberFormat({ maximumFractionDigits: 0 });
  const writeFew = useNumberFormat({ maximumSignificantDigits: 2 });
  return (perSecond) => (perSecond < FEW ? writeFew(perSecond) : write(perSecond));
}

/** Returns a function that formats a time relative to now: `3 min ago`. */
export function useRelativeTime(): (timeMs: number, nowMs: number) => string {
  const tag = useLanguageTag();
  return useMemo(() => (timeMs, nowMs) => writeRelativeTime(tag, timeMs, nowMs), [tag]);
}

/** Returns a function that formats a duration in its two largest units: `2 h 5 min`. */
export function useDuration(): (durationMs: number) => string {
  const tag = useLanguageTag();
  return useMemo(() => {
    return (durationMs) => {
      if (durationMs < 1_000) return spaceOut(unitFormat(tag, 'millisecond').format(Math.round(durationMs)));
      const first = UNITS.findIndex(([, unitMs]) => durationMs >= unitMs);
      let restMs = durationMs;
      return UNITS.slice(first, first + 2)
        .map(([unit, unitMs]) => {
          const count = Math.floor(restMs / unitMs);
          restMs -= count * unitMs;
          return count === 0 && restMs !== durationMs ? '' : unitFormat(tag, unit).format(count);
        })
        .filter((part) => part !== '')
        .map(spaceOut)
        .join(' ');
    };
  }, [tag]);
}

function unitFormat(tag: string, unit: string): Intl.NumberFormat {
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short' });
}
