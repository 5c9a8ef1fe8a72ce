import type { z } from 'zod';
import type { Cause } from './causes.ts';

/** Creates the zod issue of a fault that takes several fields to see. `cause` goes into the answer. */
export function fault(cause: Cause, path: PropertyKey[], input: unknown) {
  return { code: 'custom' as const, message: cause, path, input, params: { cause } };
}

interface Period {
  limitStartDate?: number | undefined;
  limitEndDate?: number | undefined;
}

/** Refuses a start after its end (rules 4). */
export function checkPeriod(value: Period, context: z.RefinementCtx): void {
  if (
    value.limitStartDate !== undefined &&
    value.limitEndDate !== undefined &&
    value.limitStartDate > value.limitEndDate
  ) {
    context.addIssue(fault('dates_reversed', ['limitStartDate'], value.limitStartDate));
  }
}
