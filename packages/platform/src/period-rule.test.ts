import { expect, it } from 'vitest';
import { isOver } from './period-rule.ts';

const period = (beganTime: string) => ({ number: 3, beganTime: new Date(beganTime) });

it.each([
  ['in the month in which it began', '2026-11-01T00:00:00Z', '2026-11-30T23:59:59.999Z', false],
  ['at the first moment of the next month', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z', true],
  ['in the same month of the next year', '2026-11-03T00:00:00Z', '2027-11-03T00:00:00Z', true],
  ['after the turn of the year', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z', true],
  ['when the clock was set back to the month before', '2026-12-01T00:00:00Z', '2026-11-30T00:00:00Z', false],
])('a period %s', (_, beganTime, now, over) => expect(isOver(period(beganTime), new Date(now))).toBe(over));
