/** Writes a date in the reader's zone, or in UTC, so that it sorts and cannot be misread: `2026-11-23 15:25:43`. */
export function writeTime(timeMs: number, zone: 'local' | 'utc'): string {
  const time = new Date(timeMs);
  if (zone === 'utc') return time.toISOString().slice(0, 19).replace('T', ' ');
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
