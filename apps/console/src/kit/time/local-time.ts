import { isTime, writeTime } from '../../words/write-time.ts';

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
