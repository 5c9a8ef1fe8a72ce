import { ACCOUNT_CHARACTERS, type NamedEmployee, Refusal } from '@lockstep/contract';

/** What an enterprise without an active cloud license may have beside its first employees (decisions 8). */
export const MAX_TRIAL_EMPLOYEES = 5;

/** What decides which employees can be added. */
export interface Situation {
  /** Of the enterprise; it becomes a part of every account. */
  code: string;
  takenUserNames: ReadonlySet<string>;
  /** How many more employees the enterprise may have. */
  room: number;
}

/** Those of some employees that can be added as things are, and what the others are refused for, in their order. */
export function judgeAdditions(named: readonly NamedEmployee[], situation: Situation): NamedEmployee[] {
  const taken = new Set(situation.takenUserNames);
  let { room } = situation;
  return named.map((entry) => {
    if (entry.refusal !== undefined) return entry;
    const { path } = entry;
    const { userName } = entry.employee;
    const refuse = (refusal: Refusal) => ({ path, userName: entry.userName, refusal });
    if (userName.length + situation.code.length >= ACCOUNT_CHARACTERS) {
      return refuse(new Refusal('account_malformed', `${path}.userName`));
    }
    if (taken.has(userName)) return refuse(new Refusal('account_taken', `${path}.userName`));
    if (room <= 0) return refuse(new Refusal('trial_employees_exhausted', path, MAX_TRIAL_EMPLOYEES));
    taken.add(userName);
    room--;
    return entry;
  });
}
