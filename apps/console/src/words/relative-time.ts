/** Units of time in milliseconds, largest first. */
export const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
/** A time this little ahead counts as now, because the service's clock may be ahead of the browser's. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Formats a time relative to now: `3 min ago`. Less than a minute ahead is `now`. */
export function writeRelativeTime(tag: string, timeMs: number, nowMs: number): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  const aheadMs = timeMs - nowMs;
  const passedMs = aheadMs > 0 && aheadMs < MAX_CLOCK_DIFFERENCE_MS ? 0 : aheadMs;
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(passedMs) >= each) ?? UNITS[3];
  return spaceOut(format.format(Math.trunc(passedMs / unitMs), unit));
}

/** Puts a space between a number and the Chinese word after it, as the console's Chinese words do. */
export function spaceOut(text: string): string {
  return text.replace(/(\d)(?=\p{Script=Han})/gu, '$1 ');
}
