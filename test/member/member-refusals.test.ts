import type { Cause } from '@lockstep/contract';
import { beforeAll, expect, it } from 'vitest';
import { type Answer, dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import type { Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Refusals of M1 to M5 and of the audit log (interface Errors; rules 8). No refusal changes anything. For refusals of
 * callers, see member-access.test.ts; for M6 to M10, holdings.test.ts; for every fault of every field,
 * member-refusals-shapes.test.ts.
 */
let tables: unknown;

/** Employees of the enterprise; `gone` is deleted. */
let [kim, gone]: [string, string] = ['', ''];

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
/** Another enterprise, which has as many employees as it can add. */
const neighbor = await MemberCenter.open(stack, center.api);
beforeAll(async () => {
  await neighbor.add(...Array.from({ length: 5 }, () => newEmployee()));
  const employees = await center.add(newEmployee({ userName: 'kim' }), newEmployee());
  [kim, gone] = employees.map(({ globalId }) => globalId as string) as [string, string];
  dataOf(await center.delete(gone));
  tables = await contents();
});

/**
 * Returns what must not change. Leaves out nonces, which calls use up, and tokens and failed logins, which the cleanup
 * deletes.
 */
async function contents() {
  const { access_token: _tokens, login_failure: _failures, ...others } = await contentOfTables(stack.db);
  return others;
}

/** Calls M1 for one employee. */
const add = (fields: Sent) => center.submitAdd([newEmployee(fields)]);
/** Call M2 and M3 for Kim. */
const edit = (fields: Sent) => center.edit(kim, { userName: 'kim', name: 'Kim', ...fields });
const reset = (password: unknown) => center.resetPassword(kim, password);

/** A refused call, and the path in its message, if there is one. */
type Row = [
  operation: string,
  how: string,
  code: string,
  cause: Cause,
  path: string | null,
  call: () => Promise<Answer>,
];

/** The refusal of a field. For M1, it is a field of the only employee. */
type FieldRow = [path: string, how: string, code: string, cause: Cause, value: unknown];

const FIELDS: FieldRow[] = [
  ['userName', 'with _', '10003', 'account_malformed', 'k_m'],
  ['userName', 'with @', '10003', 'account_malformed', 'kim@abc'],
  ['name', 'of 31 characters', '30002', 'name_too_long', '😀'.repeat(31)],
  ['remark', 'of 201 characters', '30003', 'remark_too_long', '备'.repeat(201)],
  ['passwordMobile', 'from 12', '10004', 'mobile_invalid', '12800000000'],
  ['remark', 'that is a number', '40000', 'field_invalid', 5],
];
const NEW_FIELDS: FieldRow[] = [
  ...FIELDS,
  ['userName', 'with a code', '10003', 'account_malformed', 'kim@abc234'],
  ['userName', 'that is empty', '40008', 'account_missing', ''],
  ['userName', 'of another employee', '80001', 'account_taken', 'kim'],
  ['userName', 'of the administrator', '80001', 'account_taken', 'admin'],
  ['departmentId', 'that is empty', '40009', 'group_id_missing', ''],
  ['password', 'that is empty', '40001', 'password_missing', ''],
  ['password', 'of 7 characters', '50003', 'password_length', '1234567'],
  ['password', 'of 33 characters', '50003', 'password_length', 'x'.repeat(33)],
  ['name', 'that is empty', '40022', 'name_missing', ' '],
];

const fromField =
  (operation: string, at: string, call: (fields: Sent) => Promise<Answer>) =>
  ([path, how, code, cause, value]: FieldRow): Row => {
    return [operation, `a ${path} ${how}`, code, cause, `${at}${path}`, () => call({ [path]: value })];
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
const FOR_NOBODY = NOBODY.flatMap(([who, memberId]): Row[] => {
  const refused = ['60002', 'employee_not_found', null] as const;
  return [
    ['M2', who, ...refused, () => center.edit(memberId(), { userName: 'kim', name: 'Kim II' })],
    ['M3', who, ...refused, () => center.resetPassword(memberId(), 'battery staple')],
    ['M4', who, ...refused, () => center.delete(memberId())],
  ];
});

const audit = (query: Record<string, string>) =>
  center.call('GET', `/enterprise/${center.enterpriseId}/audit`, { query });

const REFUSED: Row[] = [
  ...NEW_FIELDS.map(fromField('M1', 'userList[0].', add)),
  ...FIELDS.map(fromField('M2', '', edit)),
  ...FOR_NOBODY,
  ['M1', 'nobody', '40021', 'employee_list_empty', 'userList', () => center.submitAdd([])],
  ['M1', 'no list', '40021', 'employee_list_empty', 'userList', () => center.submitAdd(null)],
  [
    'M1',
    '101 employees',
    '60013',
    'too_many_employees',
    'userList',
    () => center.submitAdd(Array.from({ length: 101 }, () => newEmployee())),
  ],
  [
    'M1',
    'a blank enterprise',
    '40009',
    'group_id_missing',
    'enterpriseGlobalId',
    () => center.call('POST', '/enterprise/%20/member', { body: { userList: [newEmployee()] } }),
  ],
  [
    'M1',
    'an account that makes 63 characters with the code',
    '10003',
    'account_malformed',
    'userList[0].userName',
    () => add({ userName: 'k'.repeat(63 - center.code.length) }),
  ],
  [
    'M1',
    'a sixth employee without a cloud license',
    '60009',
    'trial_employees_exhausted',
    'userList[0]',
    () => neighbor.submitAdd([newEmployee()]),
  ],
  [
    'M2',
    'an account that makes 63 characters with the code',
    '10003',
    'account_malformed',
    'userName',
    () => edit({ userName: 'k'.repeat(63 - center.code.length) }),
  ],
  [
    'M2',
    'an account other than the employee’s',
    '60002',
    'account_mismatch',
    'userName',
    () => edit({ userName: 'kim2' }),
  ],
  [
    'M2',
    'the account with the code of another enterprise',
    '60002',
    'account_mismatch',
    'userName',
    () => edit({ userName: 'kim@zzzzz99' }),
  ],
  ['M2', 'an empty name', '40000', 'field_missing', 'name', () => edit({ name: '' })],
  ['M2', 'no account', '40000', 'field_missing', 'userName', () => edit({ userName: undefined })],
  ['M3', 'no password', '40001', 'password_missing', 'password', () => reset(null)],
  ['M3', 'a password of 7', '50003', 'password_length', 'password', () => reset('1234567')],
  ['M3', 'a password of 33', '50003', 'password_length', 'password', () => reset('x'.repeat(33))],
  ['M3', 'a number', '40000', 'field_invalid', 'password', () => reset(12345678)],
  [
    'M5',
    'a page of 501',
    '40000',
    'field_invalid',
    'pageSize',
    () => center.submitList({ pageNum: '1', pageSize: '501' }),
  ],
  ['M5', 'no page', '40000', 'field_missing', 'pageNum', () => center.submitList({ pageSize: '1' })],
  ['audit', 'no page', '40000', 'field_missing', 'pageNum', () => audit({ pageSize: '1' })],
];

it.each(REFUSED)('%s of %s is refused with %s %s and changes nothing', async (_name, _how, code, cause, path, call) => {
  const refusal = refusalOf(await call());
  expect(refusal).toMatchObject({ code, cause });
  if (path !== null) expect(pathIn(refusal.message)).toBe(path);
  expect(await contents()).toEqual(tables);
});
