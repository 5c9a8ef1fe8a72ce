import { ACCOUNT_CHARACTERS, type NamedEmployee, Refusal } from '@lockstep/contract';

/** The most employees of an enterprise without an active cloud license, not counting the first ones (rules 8). */
export const MAX_TRIAL_EMPLOYEES = 5;

/** The facts that decide which employees can be added. */
export interface AdditionFacts {
  /** The enterprise code, which ends every account. */
  code: string;
  takenUserNames: ReadonlySet<string>;
  /** How many more employees the enterprise may have. */
  room: number;
}

/**
 * Decides which employees of an M1 can be added (rules 8). Returns all of them in order, those that cannot with a
 * Refusal.
 */
export function judgeAdditions(named: readonly NamedEmployee[], facts: AdditionFacts): NamedEmployee[] {
  const taken = new Set(facts.takenUserNames);
  let { room } = facts;
  return named.map((entry) => {
    if (entry.refusal !== undefined) return entry;
    const { path } = entry;
    const { userName } = entry.employee;
    const refuse = (refusal: Refusal) => ({ path, userName: entry.userName, refusal });
    if (userName.length + facts.code.length >= ACCOUNT_CHARACTERS) {
      return refuse(new Refusal('account_malformed', `${path}.userName`));
    }
    if (taken.has(userName)) return refuse(new Refusal('account_taken', `${path}.userName`));
    if (room <= 0) return refuse(new Refusal('trial_employees_exhausted', path, MAX_TRIAL_EMPLOYEES));
    taken.add(userName);
    room--;
    return entry;
  });
}
