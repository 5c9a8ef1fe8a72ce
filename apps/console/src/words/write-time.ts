/** Whether the calendar has a time: the numbers that are stored may be any. */
export const isTime = (timeMs: number) => !Number.isNaN(new Date(timeMs).getTime());

/**
 * Formats a time in the reader's time zone or in UTC, sortable and unambiguous: `2026-11-23 15:25:43`. Returns a number
 * that is no time as it is.
 */
export function writeTime(timeMs: number, zone: 'local' | 'utc'): string {
  if (!isTime(timeMs)) return String(timeMs);
  const time = new Date(timeMs);
  if (zone === 'utc')
    return time
      .toISOString()
      .replace(/\.\d+Z$/, '')
      .replace('T', ' ');
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
