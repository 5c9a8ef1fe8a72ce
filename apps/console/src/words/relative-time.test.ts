import { expect, it } from 'vitest';
import { writeRelativeTime } from './relative-time.ts';

const NOW_MS = Date.UTC(2026, 10, 23);
const MINUTE_MS = 60_000;
const written = (aheadMs: number, tag = 'en') => writeRelativeTime(tag, NOW_MS + aheadMs, NOW_MS);

it('a time is told from now in its largest unit', () => {
  expect([-8_000, -5 * MINUTE_MS, 120 * MINUTE_MS].map((aheadMs) => written(aheadMs))).toEqual([
    '8 sec. ago',
    '5 min. ago',
    'in 2 hr.',
  ]);
});

it('what the clock of the service puts a little ahead is now', () => {
  expect([written(8_000), written(8_000, 'zh')]).toEqual(['now', '现在']);
  expect(written(MINUTE_MS)).toBe('in 1 min.');
});

it('a number and a Chinese word have a space between them', () => {
  expect(written(-5 * MINUTE_MS, 'zh')).toBe('5 分钟前');
});
