import { z } from 'zod';
import { Cause } from '../cause-schema.ts';
import { FailureBody, successBody } from '../envelope.ts';
import { emptyCauses } from '../parse.ts';
import { boundedList, integer, long, optionalLines } from '../scalars.ts';
import { account, Employee, MAX_REMARK_CHARACTERS, mobile, name, password, REMARK, refuse } from './employees.ts';

export const MAX_EMPLOYEES_PER_CALL = 100;

/** One element of M1's userList (interface M1; rules 8). */
export const NewEmployee = z
  .object({
    userName: account,
    password: password.describe(
      'The first password: 8 to 32 characters, blanks at its ends included. How a keyboard composes a character does not ' +
        'matter: it is compared in the Unicode form NFC.',
    ),
    departmentId: long()
      .nullish()
      .describe(
        'A number of your own, from 0; this service knows no departments. Empty is refused with group_id_missing.',
      ),
    name,
    remark: optionalLines(MAX_REMARK_CHARACTERS, 'remark_too_long').describe(REMARK),
    passwordMobile: mobile.nullish().transform((value) => value || undefined),
  })
  .meta({ id: 'NewEmployee', description: 'An employee to add.' });
export type NewEmployee = z.infer<typeof NewEmployee>;
emptyCauses.add(NewEmployee, {
  userName: 'account_missing',
  password: 'password_missing',
  departmentId: 'group_id_missing',
  name: 'name_missing',
});

export const userList = <Item extends z.ZodType>(item: Item) =>
  boundedList(item, MAX_EMPLOYEES_PER_CALL, 'too_many_employees')
    .refine((list) => list.length > 0, refuse('employee_list_empty'))
    .meta({
      minItems: 1,
      description: `1 to ${MAX_EMPLOYEES_PER_CALL} employees, each of whom is added or fails alone.`,
    });

/**
 * The body of M1 as the API description shows it. `readNewEmployees` reads it, because one employee's fault is not the
 * call's.
 */
export const AddEmployees = z
  .object({ userList: userList(NewEmployee) })
  .meta({ id: 'EmployeesToAdd', description: 'The employees to add.' });

const FailedEmployee = z
  .object({
    userName: z
      .string()
      .describe('As it was sent; of a longer one the first 254 characters and …. It may be missing: then it is empty.'),
    message: z.string().describe('What was wrong, after the path of the field: userList[3].name.'),
    index: integer().describe('Place in userList, from 0.'),
    cause: Cause.describe('For programs: what was wrong, as a stable word.'),
    code: z.string().describe('The code of the cause.'),
  })
  .meta({ id: 'FailedEmployee', description: 'An employee who was not added.' });

/** The data of M1. */
export const AddedEmployees = z
  .object({
    succeeded: z.array(Employee).describe('Those who were added, in the order of userList.'),
    failed: z.array(FailedEmployee).describe('Those who were not, in the order of userList.'),
  })
  .meta({ id: 'AddedEmployees', description: 'What became of each employee of the call.' });
export type AddedEmployees = z.infer<typeof AddedEmployees>;

/** The answer of M1 if no employee was added: HTTP 299 with the code of the first failure. */
export const FailedEmployees = z
  .object({
    ...FailureBody.shape,
    data: AddedEmployees.optional().describe('Where every employee was looked at and failed: what for.'),
  })
  .meta({ id: 'AdditionFailure', description: 'A Failure that may say what each employee failed for.' });
export type FailedEmployees = z.infer<typeof FailedEmployees>;
/** The answer of M1 if some employees were added and some failed: HTTP 200 with code 60027. */
export const PartlyAddedEmployees = z
  .object({
    ...FailureBody.shape,
    code: z.literal('60027').describe('The text 60027: some were added, some were not.'),
    data: AddedEmployees.describe('Who was added, and who was not.'),
  })
  .meta({ id: 'EmployeesPartlyAdded', description: 'Some employees were added, some were not.' });

/** The answer of M1 if all employees were added. */
export const AllAddedEmployees = successBody(AddedEmployees).meta({
  id: 'EmployeesAdded',
  description: 'All employees were added.',
});
