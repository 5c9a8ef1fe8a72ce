import { writeTime } from '../../words/write-time.ts';

/** Reads a field of type datetime-local, which is in the reader's zone, as milliseconds. */
export function readLocalTime(text: string): string | undefined {
  const timeMs = new Date(text).getTime();
  return Number.isNaN(timeMs) ? undefined : String(timeMs);
}

/** Writes milliseconds for a field of type datetime-local. */
export function writeLocalTime(timeMs: string | undefined): string {
  const time = Number(timeMs);
  if (timeMs === undefined || timeMs === '' || Number.isNaN(time) || Math.abs(time) > 8.64e15) return '';
  return writeTime(time, 'local').replace(' ', 'T');
}
