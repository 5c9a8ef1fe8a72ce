import { expect, it } from 'vitest';
import { type Answer, dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { contentWithoutLogins } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Refusals of M1 to M5 and of the audit log (interface Errors; rules 8). No refusal changes anything. For refusals of
 * callers, see member-access.test.ts; for M6 to M10, holdings.test.ts; for every fault of every field,
 * member-refusals-shapes.test.ts.
 */

const { stack } = await testStack({ worker: false });
const contents = () => contentWithoutLogins(stack.db);
const center = await MemberCenter.open(stack);
/** Another enterprise, which has as many employees as it can add. */
const neighbor = await MemberCenter.open(stack, center.api);
await neighbor.add(...Array.from({ length: 5 }, () => newEmployee()));
/** Employees of the enterprise; `gone` is deleted. */
const employees = await center.add(newEmployee({ userName: 'kim' }), newEmployee());
const [kim, gone] = employees.map(({ globalId }) => globalId as string) as [string, string];
dataOf(await center.delete(gone));
const tables = await contents();

/** Calls M1 for one employee. */
const add = (fields: Sent) => center.submitAdd([newEmployee(fields)]);
/** Call M2 and M3 for Kim. */
const edit = (fields: Sent) => center.edit(kim, { userName: 'kim', name: 'Kim', ...fields });
const reset = (password: unknown) => center.resetPassword(kim, password);

/** A call, and its refusal: the code, the cause and, if the message names a field, its path. */
type Row = [what: string, refusal: string, call: () => Promise<Answer>];

/** The refusal of a field. For M1, it is a field of the only employee. */
type FieldRow = [path: string, how: string, refusal: string, value: unknown];

const FIELDS: FieldRow[] = [
  ['userName', 'with _', '10003 account_malformed', 'k_m'],
  ['userName', 'with @', '10003 account_malformed', 'kim@abc'],
  [
    'userName',
    'that makes 63 characters with the code',
    '10003 account_malformed',
    'k'.repeat(63 - center.code.length),
  ],
  ['name', 'of 31 characters', '30002 name_too_long', '😀'.repeat(31)],
  ['remark', 'of 201 characters', '30003 remark_too_long', '备'.repeat(201)],
  ['passwordMobile', 'from 12', '10004 mobile_invalid', '12800000000'],
  ['remark', 'that is a number', '40000 field_invalid', 5],
];
const NEW_FIELDS: FieldRow[] = [
  ...FIELDS,
  ['userName', 'with a code', '10003 account_malformed', 'kim@abc234'],
  ['userName', 'that is empty', '40008 account_missing', ''],
  ['userName', 'of another employee', '80001 account_taken', 'kim'],
  ['userName', 'of the administrator', '80001 account_taken', 'admin'],
  ['departmentId', 'that is empty', '40009 group_id_missing', ''],
  ['password', 'that is empty', '40001 password_missing', ''],
  ['password', 'of 7 characters', '50003 password_length', '1234567'],
  ['password', 'of 33 characters', '50003 password_length', 'x'.repeat(33)],
  ['name', 'that is empty', '40022 name_missing', ' '],
];

const fromField =
  (operation: string, at: string, call: (fields: Sent) => Promise<Answer>) =>
  ([path, how, refusal, value]: FieldRow): Row => {
    return [`${operation} of a ${path} ${how}`, `${refusal} ${at}${path}`, () => call({ [path]: value })];
  };

/** Employees that the enterprise doesn't have, as IDs in a path. */
const NOBODY: [who: string, memberId: () => string][] = [
  ['nobody', () => '999999999'],
  ['an employee of another enterprise', () => neighbor.cloudId],
  ['a deleted employee', () => gone],
  ['a leading zero in an ID', () => `0${kim}`],
  ['more than 63 bits', () => '9'.repeat(19)],
  ['an account', () => 'kim'],
  ['SQL', () => `${kim}' or '1'='1`],
  ['U+0000', () => '\0'],
];
const NOT_FOUND = '60002 employee_not_found';
const FOR_NOBODY = NOBODY.flatMap(([who, memberId]): Row[] => [
  [`M2 of ${who}`, NOT_FOUND, () => center.edit(memberId(), { userName: 'kim', name: 'Kim II' })],
  [`M3 of ${who}`, NOT_FOUND, () => center.resetPassword(memberId(), 'battery staple')],
  [`M4 of ${who}`, NOT_FOUND, () => center.delete(memberId())],
]);

const page = (query: Record<string, string>) => center.submitList(query);
const audit = (query: Record<string, string>) => center.ask('readAudit', {}, { query });
const one = [newEmployee()];
const many = Array.from({ length: 101 }, () => newEmployee());
const addToBlank = () => center.call('POST', '/enterprise/%20/member', { body: { userList: one } });

const REFUSED: Row[] = [
  ...NEW_FIELDS.map(fromField('M1', 'userList[0].', add)),
  ...FIELDS.map(fromField('M2', '', edit)),
  ...FOR_NOBODY,
  ['M1 of nobody', '40021 employee_list_empty userList', () => center.submitAdd([])],
  ['M1 of no list', '40021 employee_list_empty userList', () => center.submitAdd(null)],
  ['M1 of 101 employees', '60013 too_many_employees userList', () => center.submitAdd(many)],
  ['M1 of a blank enterprise', '40009 group_id_missing enterpriseGlobalId', addToBlank],
  ['M1 of a sixth, trial employee', '60009 trial_employees_exhausted userList[0]', () => neighbor.submitAdd(one)],
  ['M2 of another account', '60002 account_mismatch userName', () => edit({ userName: 'kim2' })],
  ['M2 of the account with another code', '60002 account_mismatch userName', () => edit({ userName: 'kim@zzzzz99' })],
  ['M2 of an empty name', '40000 field_missing name', () => edit({ name: '' })],
  ['M2 of no account', '40000 field_missing userName', () => edit({ userName: undefined })],
  ['M3 of no password', '40001 password_missing password', () => reset(null)],
  ['M3 of a password of 7', '50003 password_length password', () => reset('1234567')],
  ['M3 of a password of 33', '50003 password_length password', () => reset('x'.repeat(33))],
  ['M3 of a number', '40000 field_invalid password', () => reset(12345678)],
  ['M5 of a page of 501', '40000 field_invalid pageSize', () => page({ pageNum: '1', pageSize: '501' })],
  ['M5 of no page', '40000 field_missing pageNum', () => page({ pageSize: '1' })],
  ['the audit log of no page', '40000 field_missing pageNum', () => audit({ pageSize: '1' })],
];

it.each(REFUSED)('%s is refused with %s and changes nothing', async (_what, refusal, call) => {
  const { code, cause, message } = refusalOf(await call());
  const wanted = refusal.split(' ');
  expect([code, cause, pathIn(message)].slice(0, wanted.length)).toEqual(wanted);
  expect(await contents()).toEqual(tables);
});
