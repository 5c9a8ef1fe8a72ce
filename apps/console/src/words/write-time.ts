/** Formats a time in the reader's time zone or in UTC, sortable and unambiguous: `2026-11-23 15:25:43`. */
export function writeTime(timeMs: number, zone: 'local' | 'utc'): string {
  const time = new Date(timeMs);
  if (zone === 'utc') return time.toISOString().slice(0, 19).replace('T', ' ');
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
