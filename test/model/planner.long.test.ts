import fc from 'fast-check';
import { it } from 'vitest';
import { budget } from './budget.ts';
import { comparisons } from './planner.ts';

it('the planner agrees with the model on 20,000 histories', { timeout: 3_600_000 }, () => {
  fc.assert(comparisons(), { ...budget(20_000), includeErrorInReport: true });
});
