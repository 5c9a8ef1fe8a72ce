import { z } from 'zod';
import { named } from '../containers.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyCauses } from '../parse.ts';
import {
  EnterpriseId,
  emptyAsAbsent,
  integer,
  lines,
  loginPassword,
  long,
  MemberId,
  mobile,
  noText,
  nothing,
  optional,
  queryInteger,
  REQUIRED,
  text,
  textOrNull,
  time,
} from '../scalars.ts';
import { fault } from '../templates.ts';

const MAX_NAME_CHARACTERS = 30;
export const MAX_REMARK_CHARACTERS = 200;
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 32;
/** An account name and the code of its enterprise together must be shorter than this (interface M1). */
export const ACCOUNT_CHARACTERS = 63;

const ACCOUNT = /^[A-Za-z0-9]{1,62}$/;
/** Options of a zod check that refuses with a cause other than field_invalid. */
export const refuse = (cause: string) => ({ params: { cause }, message: cause });

const accountLike = (pattern: RegExp) =>
  z
    .string()
    .trim()
    .min(1, REQUIRED)
    .refine((value) => value === '' || pattern.test(value), refuse('account_malformed'))
    .meta({ pattern: pattern.source });

export const account = accountLike(ACCOUNT).describe(
  'Account: letters A-Z, a-z and digits, fewer than 63 characters with the enterprise code, which the service appends. ' +
    'Case-sensitive: Mei and mei are two accounts.',
);

/** The short account name, or the full one with the enterprise code: `name@code`. */
const SHORT_OR_FULL_ACCOUNT = /^[A-Za-z0-9]{1,62}(@[a-z0-9]{6,10})?$/;

export const password = loginPassword(MAX_PASSWORD_CHARACTERS, 'password_length')
  .refine((value) => value === '' || [...value].length >= MIN_PASSWORD_CHARACTERS, refuse('password_length'))
  .meta({ minLength: MIN_PASSWORD_CHARACTERS, format: 'password' });

export const name = text(MAX_NAME_CHARACTERS, 'name_too_long').describe(
  `Name of the employee: up to ${MAX_NAME_CHARACTERS} characters.`,
);
export const REMARK = `Up to ${MAX_REMARK_CHARACTERS} characters; may contain line breaks.`;

/** Creates an optional field of M2. An absent or empty one changes nothing; null clears the value (rules 4 and 8). */
const clearable = <Schema extends z.ZodType<string | number | undefined>>(schema: Schema, meaning: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && value.trim() === '' ? undefined : value),
      schema.nullable().optional(),
    )
    .describe(`${meaning} Absent or empty: unchanged. null: cleared.`);

/** The body of M2 (interface M2; rules 8). */
export const EditEmployee = named('EmployeeToEdit', 'Changes to an employee.', {
  userName: accountLike(SHORT_OR_FULL_ACCOUNT).describe(
    'The account of the employee, with or without the enterprise code (name@code). It cannot be changed.',
  ),
  departmentId: clearable(long(), 'Your number for the department, from 0.'),
  name,
  remark: clearable(lines(MAX_REMARK_CHARACTERS, 'remark_too_long'), REMARK),
  passwordMobile: clearable(mobile(), 'Security mobile number.'),
});
export type EditEmployee = z.infer<typeof EditEmployee>;

/** The body of M3 (interface M3; rules 8). */
export const ResetPassword = named('NewPassword', 'A new password.', {
  password: password.describe('The new password: 8 to 32 characters, including spaces at the ends.'),
});
emptyCauses.add(ResetPassword, { password: 'password_missing' });

/** The path parameters of M1, M5, M6, M8 and of the audit log. */
export const EnterpriseParams = z.object({
  enterpriseGlobalId: z.string().describe('Global id of the enterprise; must be that of the administrator.'),
});

export const memberGlobalId = () => MemberId.describe('Global id of the employee.');

/** The path parameters of M2 to M4. Any string is valid; one that is not an id matches no employee. */
export const EmployeeParams = EnterpriseParams.extend({ memberGlobalId: memberGlobalId() });

export const Employee = named('Employee', 'An employee of an enterprise.', {
  id: z.string().describe('Id of the employee.'),
  userId: MemberId.describe('Same as id.'),
  globalId: MemberId.describe('Same as id: the memberGlobalId of M2 to M4, M9 and M10.'),
  enterpriseId: EnterpriseId.describe('The enterpriseGlobalId.'),
  departmentId: long().nullable().describe('Your number for the department; null if none.'),
  departmentName: noText('Always null: departments have no names.'),
  userName: z.string().describe('The full account: name@code.'),
  name: z.string().describe('Name of the employee.'),
  remark: textOrNull('Remark; null if none.'),
  deleted: z.boolean().describe('Always false: deleted employees are not listed.'),
  updateTime: time('When the employee was last changed'),
  createTime: time('When the employee was added'),
});
export type Employee = z.infer<typeof Employee>;

const MAX_PAGE_SIZE = 500;
const MAX_PAGE_NUM = 2_147_483_647;

/** The query of every paged operation of the member center (interface M5; rules 8). */
export const PageQuery = z.object({
  pageNum: queryInteger(1, MAX_PAGE_NUM).describe(
    'Page number, from 1. Entries that are added or deleted between calls shift later pages.',
  ),
  pageSize: queryInteger(1, MAX_PAGE_SIZE).describe(`Entries per page: 1 to ${MAX_PAGE_SIZE}.`),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Creates the schema of a page, with the fields of the interface's page of employees (interface M5; rules 8). */
export function page<Item extends z.ZodType>(item: Item) {
  const count = integer();
  return z.object({
    pageNum: count.describe('Page number, as requested.'),
    pageSize: count.describe('Entries per page, as requested.'),
    size: count.describe('Entries on this page.'),
    orderBy: noText('Always null: each list has one order.'),
    startRow: count.describe('Position of the first entry in the whole list, from 1; 0 on an empty page.'),
    endRow: count.describe('Position of the last entry; 0 on an empty page.'),
    total: count.describe('Number of entries in the whole list.'),
    pages: count.describe('Number of pages.'),
    list: z.array(item).describe('The entries of this page.'),
    firstPage: count.describe('First of navigatepageNums.'),
    prePage: count.describe('Number of the previous page; 0 if none.'),
    nextPage: count.describe('Number of the next page; 0 if none.'),
    lastPage: count.describe('Last of navigatepageNums.'),
    isFirstPage: z.boolean().describe('Whether it is the first page.'),
    isLastPage: z.boolean().describe('Whether it is the last page; false on a page after it.'),
    hasPreviousPage: z.boolean().describe('Whether there is a previous page.'),
    hasNextPage: z.boolean().describe('Whether there is a next page.'),
    navigatePages: count.describe('Always 8: the maximum length of navigatepageNums.'),
    navigatepageNums: z.array(count).describe('Up to 8 page numbers around this page.'),
  });
}
export type Page<Item> = Omit<z.infer<ReturnType<typeof page>>, 'list'> & { list: Item[] };

/** A page of a list that also continues by cursor. */
const cursorPage = <Item extends z.ZodType>(item: Item) =>
  page(item).extend({
    nextCursor: textOrNull('The cursor of the next page; null on the last page.'),
  });
export type CursorPage<Item> = Page<Item> & { nextCursor: string | null };

const CURSOR = ListPageQuery.shape.cursor.describe(
  'nextCursor of the previous page with the same filters: changes in between then skip no entry. pageNum only sets ' +
    'page numbers.',
);

/** The query of lists that answer whole, unless it has one of these parameters (rules 8 Pages). */
export const OPTIONAL_PAGE = {
  pageNum: emptyAsAbsent(PageQuery.shape.pageNum.optional()).describe('Page number, from 1; absent: 1.'),
  pageSize: emptyAsAbsent(PageQuery.shape.pageSize.optional()).describe(
    `Entries per page: 1 to ${MAX_PAGE_SIZE}; absent: 100.`,
  ),
  cursor: CURSOR,
};
export const OptionalPageQuery = z.object(OPTIONAL_PAGE);
export type OptionalPageQuery = z.infer<typeof OptionalPageQuery>;

/** The data of such a list. */
export const wholeOrPage = <Item extends z.ZodType>(id: string, item: Item) => {
  const onePage = cursorPage(item).meta({
    id,
    description: "A page, oldest first, with the fields of Java's PageHelper.",
  });
  return z
    .union([z.array(item), onePage])
    .describe('The entries, oldest first: all of them or, with pageNum, pageSize or cursor, a page.');
};

export const ListEmployees = PageQuery.extend({
  departmentId: optional(
    z
      .string()
      .trim()
      .regex(/^\d{1,16}$/, fault('integer'))
      .transform(Number)
      .pipe(long()),
  ).meta({ type: 'integer', pattern: undefined, minimum: 0, description: 'Only employees of this department.' }),
  keyword: optional(text()).describe(
    'Only employees whose name or account contains this text, ignoring case. The enterprise code is searched only if the ' +
      'text contains an @.',
  ),
  cursor: CURSOR,
});
export type ListEmployees = z.infer<typeof ListEmployees>;

/** An employee as M5 lists it (interface M5). */
export const ListedEmployee = Employee.extend({
  passwordMobile: z.string().describe('Security mobile number; empty if none.'),
  assetNums: z.array(z.string()).describe('Numbers of the assigned assets, including lent ones.'),
  borrowNum: z
    .string()
    .describe('Borrowed locks into which assets of the employee are lent, separated by commas; empty if none.'),
  onlineFlag: z.boolean().describe('Always false: online use is not reported to this service.'),
  boundUserInfo: nothing('Always null.'),
}).meta({ id: 'ListedEmployee', description: 'An employee with assigned assets.' });
export type ListedEmployee = z.infer<typeof ListedEmployee>;

export const EmployeePage = cursorPage(ListedEmployee).meta({
  id: 'EmployeePage',
  description: "A page of employees, with the fields of Java's PageHelper.",
});
export type EmployeePage = z.infer<typeof EmployeePage>;
