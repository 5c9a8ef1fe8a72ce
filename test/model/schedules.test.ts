import fc from 'fast-check';
import { it } from 'vitest';
import { schedules } from './schedules.ts';

it('keeps the promises of the scheduler, whatever fails, is locked elsewhere, slow, paused or killed', () => {
  fc.assert(schedules, { numRuns: 500 });
});
