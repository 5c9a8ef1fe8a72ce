const MINUTE_MS = 60_000;
/** Units of time in milliseconds, largest first. */
export const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const;
/** A time this little ahead counts as now, because the service's clock may be ahead of the browser's. */
const MAX_CLOCK_DIFFERENCE_MS = MINUTE_MS;

const YEAR_MS = 31_556_952_000;

/** Formats a time relative to now: `3 min ago`. Less than a minute ahead is `now`. From two years on, it has years. */
export function writeRelativeTime(tag: string, timeMs: number, nowMs: number): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  const aheadMs = timeMs - nowMs;
  const passedMs = aheadMs > 0 && aheadMs < MAX_CLOCK_DIFFERENCE_MS ? 0 : aheadMs;
  const [unit, unitMs] =
    Math.abs(passedMs) >= 2 * YEAR_MS
      ? (['year', YEAR_MS] as const)
      : (UNITS.find(([, each]) => Math.abs(passedMs) >= each) ?? UNITS[3]);
  const count = unit === 'day' ? dayOf(timeMs) - dayOf(nowMs) : Math.trunc(passedMs / unitMs);
  return spaceOut(format.format(count, unit));
}

/** The number of a day in the reader's time zone, so that `tomorrow` is the next one of the calendar. */
const dayOf = (timeMs: number) => Math.floor((timeMs - new Date(timeMs).getTimezoneOffset() * MINUTE_MS) / UNITS[0][1]);

/** Puts a space between a number and the Chinese word after it, as the console's Chinese words do. */
export function spaceOut(text: string): string {
  return text.replace(/(\d)(?=\p{Script=Han})/gu, '$1 ');
}

/** Whether the calendar has a time: the numbers that are stored may be any. */
export const isTime = (timeMs: number) => !Number.isNaN(new Date(timeMs).getTime());

/**
 * Formats a time in the reader's time zone or in UTC, sortable and unambiguous: `2026-11-23 15:25:43`. Returns a number
 * that is no time as it is.
 */
export function writeTime(timeMs: number, zone: 'local' | 'utc'): string {
  const aheadMs = zone === 'utc' ? 0 : new Date(timeMs).getTimezoneOffset() * MINUTE_MS;
  const shown = new Date(timeMs - aheadMs);
  return isTime(shown.getTime()) ? shown.toISOString().slice(0, -'.000Z'.length).replace('T', ' ') : String(timeMs);
}

/** Parses a datetime-local field, in the reader's time zone, to milliseconds. */
export function readLocalTime(text: string): string | undefined {
  const timeMs = new Date(text).getTime();
  return Number.isNaN(timeMs) ? undefined : String(timeMs);
}

/** Writes milliseconds as the value of a datetime-local field. */
export function writeLocalTime(timeMs: string | undefined): string {
  const time = Number(timeMs);
  if (timeMs === undefined || timeMs === '' || !isTime(time)) return '';
  return writeTime(time, 'local').replace(' ', 'T');
}
