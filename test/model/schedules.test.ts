import fc from 'fast-check';
import { it } from 'vitest';
import { schedules } from './schedules.ts';

it('the scheduler keeps its guarantees while lanes fail or are locked, drains slow down, channels pause and processes die', () => {
  fc.assert(schedules, { numRuns: 500 });
});
