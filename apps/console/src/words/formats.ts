import { codeNames } from './codes.ts';
import { commonWords } from './define-words.ts';
import { TAG } from './language.ts';
import { spaceOut, UNITS } from './times.ts';

/** Writes a code with its name: `Purchase (new_buy)`. Returns an unknown code unchanged. */
export function codeName(code: string): string {
  const name = (codeNames as Record<string, string>)[code];
  return name === undefined || name === code ? code : `${name}${commonWords.gap}${commonWords.aside(code)}`;
}

/** Writes a number, with at most so many digits behind the point. */
export function writeNumber(value: number, maximumFractionDigits = 0): string {
  return value.toLocaleString(TAG, { maximumFractionDigits });
}

/** Rates below this are written with a fraction. */
const FEW = 10;

/** Writes a rate per second. */
export function writeRate(perSecond: number): string {
  return perSecond < FEW ? perSecond.toLocaleString(TAG, { maximumSignificantDigits: 2 }) : writeNumber(perSecond);
}

/** Writes a duration in its two largest units: `2 h 5 min`. */
export function writeDuration(durationMs: number): string {
  const write = (count: number, unit: string) =>
    spaceOut(count.toLocaleString(TAG, { style: 'unit', unit, unitDisplay: 'short' }));
  if (durationMs < 1_000) return write(Math.round(durationMs), 'millisecond');
  const first = UNITS.findIndex(([, unitMs]) => durationMs >= unitMs);
  const [[unit, unitMs], next] = [UNITS[first]!, UNITS[first + 1]];
  const rest = next === undefined ? 0 : Math.floor((durationMs % unitMs) / next[1]);
  const whole = write(Math.floor(durationMs / unitMs), unit);
  return next === undefined || rest === 0 ? whole : `${whole} ${write(rest, next[0])}`;
}
