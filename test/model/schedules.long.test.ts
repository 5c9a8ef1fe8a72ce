import fc from 'fast-check';
import { it } from 'vitest';
import { schedules } from './schedules.ts';

it('keeps the promises of the scheduler in 100,000 schedules', () => {
  fc.assert(schedules, { numRuns: 100_000 });
});
