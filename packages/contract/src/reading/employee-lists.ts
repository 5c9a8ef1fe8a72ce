import { z } from 'zod';
import { cut, type Refusal } from '../causes.ts';
import { NewEmployee, userList } from '../members/new-employees.ts';
import { emptyCauses } from '../parse.ts';
import { checkBody, parseBody } from './misspellings.ts';

/** How many characters of a refused account an answer quotes. */
const MAX_REPEATED_CHARACTERS = 255;

const NamedEmployees = z.object({ userList: userList(z.unknown()) });
emptyCauses.add(NamedEmployees, { userList: 'employee_list_empty' });

/** An element of M1's userList, with its path and the start of its userName: an employee to add, or a refusal. */
export type NamedEmployee = { path: string; userName: string } & (
  | { employee: NewEmployee; refusal?: never }
  | { refusal: Refusal; employee?: never }
);

/**
 * Parses the body of M1. A fault in one employee fails only that employee (rules 8).
 *
 * Throws a Refusal if the body is not a list of employees: field_missing, field_invalid, employee_list_empty,
 * too_many_employees.
 */
export function readNewEmployees(body: unknown): NamedEmployee[] {
  const { userList } = parseBody(NamedEmployees, body);
  return userList.map((element, index) => {
    const checked = checkBody(NewEmployee, element, ['userList', index]);
    if (!checked.ok && checked.malformed) throw checked.malformed;
    const { userName } = element as { userName?: string | null };
    const named = { path: `userList[${index}]`, userName: cut(userName ?? '', MAX_REPEATED_CHARACTERS) };
    return checked.ok ? { ...named, employee: checked.value } : { ...named, refusal: checked.refusal };
  });
}
