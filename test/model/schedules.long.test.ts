import fc from 'fast-check';
import { it } from 'vitest';
import { schedules } from './schedules.ts';

it('the scheduler keeps its guarantees in 100,000 schedules', () => {
  fc.assert(schedules, { numRuns: 100_000 });
});
