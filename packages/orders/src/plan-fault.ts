import { isNumberConflict } from '@lockstep/assets';
import { mayLieInOnePart, refusesValues } from '@lockstep/platform';

/** Planning an order threw something other than a Refusal: a bug in the rules, not the order's fault. */
export class PlanFault extends Error {
  constructor(cause: unknown) {
    super('An order could not be planned', { cause });
    this.name = 'PlanFault';
  }
}

/** Whether orders that failed together may have failed because of one of them, so that it is worth trying each alone. */
export function mayLieInOneOrder(error: unknown): boolean {
  return (mayLieInOnePart(error) && !isNumberConflict(error)) || error instanceof PlanFault;
}

/** Whether PostgreSQL or the planner refuses the order itself, as far as the error tells. */
export function refusesOrder(error: unknown): boolean {
  return refusesValues(error) || error instanceof PlanFault;
}
