/** Units of time by their size, the largest first. */
export const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
/** By so much the clock of the service may be ahead of the reader's before a time is one to come. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Writes how long ago something was, or how long it will be: `3 min ago`. What is less than a minute ahead is now. */
export function writeRelativeTime(tag: string, timeMs: number, nowMs: number): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  const aheadMs = timeMs - nowMs;
  const passedMs = aheadMs > 0 && aheadMs < MAX_CLOCK_DIFFERENCE_MS ? 0 : aheadMs;
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(passedMs) >= each) ?? UNITS[3];
  return format.format(Math.trunc(passedMs / unitMs), unit);
}
