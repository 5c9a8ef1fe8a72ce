import { describe, expect, it } from 'vitest';
import { writeTime } from '../../words/write-time.ts';
import { readLocalTime, writeLocalTime } from './local-time.ts';

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
