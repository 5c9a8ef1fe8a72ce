import { useMemo } from 'react';
import { useLanguageTag } from './languages.ts';
import { spaceOut, UNITS, writeRelativeTime } from './relative-time.ts';

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
