import { z } from 'zod';
import { cut, type Refusal } from './causes.ts';
import { FailureBody, successBody } from './envelope.ts';
import { EnterpriseId, MemberId } from './ids.ts';
import { PageQuery, page } from './page.ts';
import { check, emptyCauses, parse } from './parse.ts';
import {
  boundedList,
  lines,
  long,
  noText,
  nothing,
  optional,
  optionalLines,
  REQUIRED,
  secret,
  text,
  time,
} from './scalars.ts';

export const MAX_EMPLOYEES_PER_CALL = 100;
export const MAX_NAME_CHARACTERS = 30;
const MAX_REMARK_CHARACTERS = 200;
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 32;
/** What an account name and its enterprise's code must stay below together (interface.md, Limits). */
export const ACCOUNT_CHARACTERS = 63;

const ACCOUNT = /^[A-Za-z0-9]{1,62}$/;
/** A mobile number of mainland China, or any in E.164 (decisions 8). */
const MOBILE = /^(1[3-9]\d{9}|\+[1-9]\d{1,14})$/;

/** What an answer repeats of an account name that was refused. */
const MAX_REPEATED_CHARACTERS = 255;

/** A rule with a cause of its own, for what is a clean text otherwise. */
const refuse = (cause: string) => ({ params: { cause }, message: cause });

const account = z
  .string()
  .trim()
  .min(1, REQUIRED)
  .refine((value) => value === '' || ACCOUNT.test(value), refuse('account_malformed'))
  .meta({
    pattern: ACCOUNT.source,
    description:
      'Letters A-Z a-z and digits; with the enterprise code, which is appended, fewer than 63 characters. Capitals ' +
      "count: Mei and mei are two accounts. A deleted employee's name is free again.",
  });

/** The short account name or the full one, `name@code`. */
const SHORT_OR_FULL_ACCOUNT = /^[A-Za-z0-9]{1,62}(@[a-z0-9]{6,10})?$/;

const shortOrFullAccount = z
  .string()
  .trim()
  .min(1, REQUIRED)
  .refine((value) => value === '' || SHORT_OR_FULL_ACCOUNT.test(value), refuse('account_malformed'))
  .meta({ pattern: SHORT_OR_FULL_ACCOUNT.source });

const password = secret(MAX_PASSWORD_CHARACTERS, 'password_length')
  .refine((value) => value === '' || [...value].length >= MIN_PASSWORD_CHARACTERS, refuse('password_length'))
  .meta({ minLength: MIN_PASSWORD_CHARACTERS, format: 'password' });

const mobile = z
  .string()
  .trim()
  .refine((value) => value === '' || MOBILE.test(value), refuse('mobile_invalid'))
  .meta({
    pattern: MOBILE.source,
    description:
      'Security mobile number: 11 digits that begin with 13 to 19, or + and up to 15 digits. Nobody can log in with it.',
  });

const name = text(MAX_NAME_CHARACTERS, 'name_too_long').describe(
  `Name of the employee, at most ${MAX_NAME_CHARACTERS} characters.`,
);
const REMARK = `Any text, at most ${MAX_REMARK_CHARACTERS} characters; it may hold line breaks.`;

/** One element of M1's userList (interface.md M1; decisions 8). */
const NewEmployee = z
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

const userList = <Item extends z.ZodType>(item: Item) =>
  boundedList(item, MAX_EMPLOYEES_PER_CALL, 'too_many_employees')
    .refine((list) => list.length > 0, refuse('employee_list_empty'))
    .meta({
      minItems: 1,
      description: `1 to ${MAX_EMPLOYEES_PER_CALL} employees, each of whom is added or fails alone.`,
    });

/** The body of M1, as it is described. `readNewEmployees` reads it. */
export const AddEmployees = z
  .object({ userList: userList(NewEmployee) })
  .meta({ id: 'EmployeesToAdd', description: 'The employees to add.' });

const NamedEmployees = z.object({ userList: userList(z.unknown()) });
emptyCauses.add(NamedEmployees, { userList: 'employee_list_empty' });

/** An element of M1's userList, with its path and the beginning of its userName, as it is to be added or as it is refused. */
export type NamedEmployee = { path: string; userName: string } & (
  | { employee: NewEmployee; refusal?: never }
  | { refusal: Refusal; employee?: never }
);

/**
 * Reads the body of M1. What is wrong with the content of one employee is that employee's failure (decisions 8).
 *
 * Throws a Refusal where the body is not a list of employees: field_missing, field_invalid, employee_list_empty,
 * too_many_employees.
 */
export function readNewEmployees(body: unknown): NamedEmployee[] {
  const { userList } = parse(NamedEmployees, body);
  return userList.map((element, index) => {
    const checked = check(NewEmployee, element, ['userList', index]);
    if (!checked.ok && checked.malformed) throw checked.malformed;
    const { userName } = element as { userName?: string | null };
    const named = { path: `userList[${index}]`, userName: cut(userName ?? '', MAX_REPEATED_CHARACTERS) };
    return checked.ok ? { ...named, employee: checked.value } : { ...named, refusal: checked.refusal };
  });
}

/** An optional field of M2: absent or empty it stays as it is, null clears it (decisions 4 and 8). */
const clearable = <Schema extends z.ZodType<string | number | undefined>>(schema: Schema, meaning: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && value.trim() === '' ? undefined : value),
      schema.nullable().optional(),
    )
    .describe(`${meaning} Absent or empty: it stays as it is; null: it is cleared.`);

/** The body of M2 (interface.md M2; decisions 8). */
export const EditEmployee = z
  .object({
    userName: shortOrFullAccount.describe(
      'The account name of the employee, with the enterprise code (name@code) or without it; it cannot be changed.',
    ),
    departmentId: clearable(long(), 'A number of your own, from 0.'),
    name,
    remark: clearable(lines(MAX_REMARK_CHARACTERS, 'remark_too_long'), REMARK),
    passwordMobile: clearable(mobile, 'Security mobile number.'),
  })
  .meta({ id: 'EmployeeToEdit', description: 'What an employee is to be.' });
export type EditEmployee = z.infer<typeof EditEmployee>;

/** The body of M3 (interface.md M3; decisions 8). */
export const ResetPassword = z
  .object({ password: password.describe('The new password: 8 to 32 characters, blanks at its ends included.') })
  .meta({ id: 'NewPassword', description: 'A new password.' });
export type ResetPassword = z.infer<typeof ResetPassword>;
emptyCauses.add(ResetPassword, { password: 'password_missing' });

/** The path of M1, M5, M6, M8 and of the audit record. */
export const EnterpriseParams = z.object({
  enterpriseGlobalId: z
    .string()
    .describe('Global id of the enterprise; it must be the one that the user administrates.'),
});

export const memberGlobalId = () => MemberId.describe('Global id of the employee.');

/** The path of M2 to M4. What is not an id at all is no employee's. */
export const EmployeeParams = EnterpriseParams.extend({ memberGlobalId: memberGlobalId() });

/** interface.md, Employee. */
export const Employee = z
  .object({
    id: z.string().describe('Employee record id.'),
    userId: MemberId.describe('The same.'),
    globalId: MemberId.describe('The same: the memberGlobalId of M2 to M4, M9 and M10.'),
    enterpriseId: EnterpriseId.describe('The enterpriseGlobalId.'),
    departmentId: long().nullable().describe('The number that M1 or M2 gave; null without one.'),
    departmentName: noText('Always null: departments have no names here.'),
    userName: z.string().describe('The full account name, with the enterprise code: name@code.'),
    name: z.string().describe('Name of the employee.'),
    remark: z.string().nullable().describe('The remark; null without one.'),
    deleted: z.boolean().describe('Whether the employee is deleted: always false, those who are do not show.'),
    updateTime: time('When the employee was changed last'),
    createTime: time('When the employee was added'),
  })
  .meta({ id: 'Employee', description: 'An employee of an enterprise.' });
export type Employee = z.infer<typeof Employee>;

const FailedEmployee = z
  .object({
    userName: z
      .string()
      .describe('As it was sent; of a longer one the first 254 characters and …. It may be missing: then it is empty.'),
    message: z
      .string()
      .describe('What was wrong, after the path of the field: userList[3].name. Tell entries apart by it.'),
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

/** What M1 answers where some or all employees failed: 60027 with HTTP 200, or 299 with the code of the first. */
export const FailedEmployees = z
  .object({
    ...FailureBody.shape,
    data: AddedEmployees.optional().describe('Where every employee was looked at and failed: what for.'),
  })
  .meta({ id: 'AdditionFailure', description: 'A Failure that may say what each employee failed for.' });
export type FailedEmployees = z.infer<typeof FailedEmployees>;
/** The former of the two. */
export const PartlyAddedEmployees = z
  .object({
    ...FailureBody.shape,
    code: z.literal('60027').describe('The text 60027: some were added, some were not.'),
    data: AddedEmployees.describe('Who was added, and who was not.'),
  })
  .meta({ id: 'EmployeesPartlyAdded', description: 'Some employees were added, some were not.' });

/** What M1 answers where all were added. */
export const AllAddedEmployees = successBody(AddedEmployees).meta({
  id: 'EmployeesAdded',
  description: 'All employees were added.',
});

/** The query of M5. */
export const ListEmployees = PageQuery.extend({
  departmentId: optional(
    z
      .string()
      .trim()
      .regex(/^\d{1,16}$/, 'must be a whole number')
      .transform(Number)
      .pipe(long()),
  ).meta({ type: 'integer', pattern: undefined, minimum: 0, description: 'Only employees of this department.' }),
  keyword: optional(text()).describe(
    'Only employees whose name or account holds this text, whatever the case; % and _ stand for themselves. The part behind ' +
      'the @ of an account is looked at only where the text has an @.',
  ),
});
export type ListEmployees = z.infer<typeof ListEmployees>;

/** interface.md, Employee: an entry of M5. */
export const ListedEmployee = Employee.extend({
  passwordMobile: z.string().describe('Security mobile number; empty without one.'),
  assetNums: z
    .array(z.string())
    .describe('Numbers of the assets that the employee holds (M9), as they were assigned, what is lent included.'),
  borrowNum: z
    .string()
    .describe('The borrowed lock that assets of the employee are lent into, several with commas; empty without one.'),
  onlineFlag: z
    .boolean()
    .describe('Whether the employee is in online use: always false, use is not reported to this service.'),
  boundUserInfo: nothing('Always null: not used here.'),
}).meta({ id: 'ListedEmployee', description: 'An employee with what the employee holds.' });
export type ListedEmployee = z.infer<typeof ListedEmployee>;

export const EmployeePage = page(ListedEmployee).meta({
  id: 'EmployeePage',
  description: "A page of employees. Its fields are those of Java's PageHelper.",
});
