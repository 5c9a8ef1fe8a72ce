import { z } from 'zod';
import { named } from '../containers.ts';
import { Cause, FailureBody, successBody } from '../envelope.ts';
import { emptyCauses } from '../parse.ts';
import { boundedList, integer, long, mobile, optionalLines } from '../scalars.ts';
import { account, Employee, MAX_REMARK_CHARACTERS, name, password, REMARK, refuse } from './employees.ts';

export const MAX_EMPLOYEES_PER_CALL = 100;

/** An element of M1's userList (interface M1; rules 8). */
export const NewEmployee = named('NewEmployee', 'An employee to add.', {
  userName: account,
  password: password.describe(
    'The initial password: 8 to 32 characters, including spaces at the ends. Compared in Unicode form NFC.',
  ),
  departmentId: long()
    .nullish()
    .describe('Your number for the department, from 0. An empty string is refused with group_id_missing.'),
  name,
  remark: optionalLines(MAX_REMARK_CHARACTERS, 'remark_too_long').describe(REMARK),
  passwordMobile: mobile()
    .nullish()
    .transform((value) => value || undefined),
});
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
      description: `1 to ${MAX_EMPLOYEES_PER_CALL} employees.`,
    });

/**
 * The body of M1 in the API description. `readNewEmployees` reads it, because a fault of one employee does not refuse
 * the call.
 */
export const AddEmployees = named('EmployeesToAdd', 'The employees to add.', { userList: userList(NewEmployee) });

const FailedEmployee = named('FailedEmployee', 'An employee who was not added.', {
  userName: z.string().describe('The account as it was sent, shortened to 255 characters; empty if missing.'),
  message: z.string().describe('For people: the path of the field, such as userList[3].name, and what is wrong.'),
  index: integer().describe('Index in userList, from 0.'),
  cause: Cause.describe('For programs: why the employee was not added.'),
  code: z.string().describe('Code of the cause.'),
});

/** The data of M1. */
export const AddedEmployees = named('AddedEmployees', 'The outcome for each employee.', {
  succeeded: z.array(Employee).describe('Added employees, in the order of userList.'),
  failed: z.array(FailedEmployee).describe('Employees who were not added, in the order of userList.'),
});
export type AddedEmployees = z.infer<typeof AddedEmployees>;

/** The answer of M1 if no employee was added: HTTP 299 with the code of the first failure. */
export const FailedEmployees = named('AdditionFailure', 'A Failure that may list why each employee failed.', {
  ...FailureBody.shape,
  data: AddedEmployees.optional().describe('Why each employee failed. Absent if the whole call was refused.'),
});
/** The answer of M1 if some employees were added and some failed: HTTP 200 with code 60027. */
export const PartlyAddedEmployees = named('EmployeesPartlyAdded', 'Some employees were added, some were not.', {
  ...FailureBody.shape,
  code: z.literal('60027').describe('The string 60027: some employees were added, some were not.'),
  data: AddedEmployees.describe('The outcome for each employee.'),
});

/** The answer of M1 if all employees were added. */
export const AllAddedEmployees = successBody(AddedEmployees).meta({
  id: 'EmployeesAdded',
  description: 'All employees were added.',
});
