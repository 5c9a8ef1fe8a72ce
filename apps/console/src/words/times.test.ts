import { describe, expect, it } from 'vitest';
import { readLocalTime, writeLocalTime, writeRelativeTime, writeTime } from './times.ts';

const NOW_MS = Date.UTC(2026, 10, 23);
const MINUTE_MS = 60_000;
const written = (aheadMs: number, tag = 'en') => writeRelativeTime(tag, NOW_MS + aheadMs, NOW_MS);

it('a time is told from now in its largest unit', () => {
  expect([-8_000, -5 * MINUTE_MS, 120 * MINUTE_MS, 1e10, -1e11].map((aheadMs) => written(aheadMs))).toEqual([
    '8 sec. ago',
    '5 min. ago',
    'in 2 hr.',
    'in 115 days',
    '3 yr. ago',
  ]);
});

it('days are those of the calendar', () => {
  const now = new Date(2026, 10, 29, 16).getTime();
  const writtenOn = (...of: [day: number, hour: number]) =>
    writeRelativeTime('en', new Date(2026, 10, ...of).getTime(), now);
  expect([writtenOn(30, 17), writtenOn(31, 15), writtenOn(28, 9)]).toEqual(['tomorrow', 'in 2 days', 'yesterday']);
});

it('what the clock of the service puts a little ahead is now', () => {
  expect([written(8_000), written(8_000, 'zh')]).toEqual(['now', '现在']);
  expect(written(MINUTE_MS)).toBe('in 1 min.');
});

it('a number and a Chinese word have a space between them', () => {
  expect(written(-5 * MINUTE_MS, 'zh')).toBe('5 分钟前');
});

it('any number can be shown as a time', () => {
  const stored = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 1_798_761_599_000_000];
  expect(stored.map((timeMs) => writeTime(timeMs, 'utc'))).toEqual([
    '9007199254740991',
    '-9007199254740991',
    '+058970-06-26 23:43:20',
  ]);
  expect(writeTime(Number.MAX_SAFE_INTEGER, 'local')).toBe('9007199254740991');
});

describe('a field of a time in the reader’s zone', () => {
  it('gives back the time that it shows', () => {
    const timeMs = String(Date.UTC(2026, 10, 23, 23, 59, 59));
    expect(readLocalTime(writeLocalTime(timeMs))).toBe(timeMs);
  });

  it('is empty where there is no time', () => {
    expect([undefined, '', 'soon', '1e99'].map(writeLocalTime)).toEqual(['', '', '', '']);
    expect(readLocalTime('soon')).toBeUndefined();
  });
});
