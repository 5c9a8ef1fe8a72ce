import { describe, expect, it } from 'vitest';
import { readLocalTime, writeLocalTime } from './local-time.ts';

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
