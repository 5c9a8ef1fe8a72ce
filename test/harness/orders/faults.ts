import type { Cause } from '@lockstep/contract';
import { expect } from 'vitest';
import { type Answer, pathIn, refusalOf } from '../api.ts';
import type { Sent } from './orders.ts';

/** What is wrong with a value, the value (undefined omits the field), and the cause of the refusal. */
type Fault = readonly [fault: string, value: unknown, cause: Cause];

/** Names a value: as JSON without other characters than ASCII, or by its length. */
function nameOf(value: unknown): string {
  const characters = typeof value === 'string' ? [...value] : [];
  if (characters.length > 30) return `${characters.length} characters like ${characters[0]}`;
  return (JSON.stringify(value) ?? 'missing').replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16)}`);
}

const faulty = (cause: Cause, ...values: unknown[]) => values.map((value): Fault => [nameOf(value), value, cause]);
const invalid = (...values: unknown[]) => faulty('field_invalid', ...values);

const ABSENT = faulty('field_missing', undefined, null, '', ' \t ');
const [MISSING, NULL, EMPTY, BLANK] = ABSENT as [Fault, Fault, Fault, Fault];

const NO_STRING = invalid(5, 0, true, false, ['a'], [], { a: 1 });
const NO_NUMBER = invalid('abc', '5', 'NaN', true, [5], { a: 1 });
const NO_LIST = invalid('abc', 5, true, { 0: 'a', length: 1 });
const NO_COUNT = invalid(-1, 1.5, 2 ** 53, -(2 ** 53), 1e300);
const NO_TIME = [...invalid(-1, 1.5, -(2 ** 53)), ...faulty('date_not_milliseconds', 2 ** 53, 1e300)];

/** Characters that no text may contain, except remark and address, which may contain line breaks. */
const LINE_BREAKS = invalid('a\nb', 'a\rb');
const OTHER_CONTROL_CHARACTERS = invalid(...'\u0000\t\v\f\u001b\u007f\u0085'.split('').map((each) => `a${each}b`));
const CONTROL_CHARACTERS = [...LINE_BREAKS, ...OTHER_CONTROL_CHARACTERS];
/** Texts without a visible character: a zero-width space; marks of direction, fillers and blanks. */
const INVISIBLE = invalid('\u200b', ' \u202e\u3164\u00ad\u2800\u2003\u202c ');
const UNREADABLE = [...CONTROL_CHARACTERS, ...INVISIBLE];
const UNREADABLE_LINES = [...OTHER_CONTROL_CHARACTERS, ...INVISIBLE];
/** What a spreadsheet makes of an asset number, and characters that nobody sees in one (rules 4). */
const NO_ASSET_NUMBER = invalid(
  ...['8.1E+09', '8,1e9', '8E+9', '8100000001.0', '8100000001,00', '8,100,000,001', '8.100.000.001,00'],
  ...['8 100 000 001', '08100000001'],
  "'8100000001",
  ...['="8100000001"', '８.１Ｅ＋０９', '8100000001\u200b', '\u202a8100000001\u202c'],
  ...['81\u00ad0', '81\ufe0f', '81\ue000'],
  '81\u2028\u0031',
);
const HALF_PAIRS = invalid('a\ud83d', '\ude00b');
const tooLong = (length: number, cause: Cause = 'field_invalid') =>
  faulty(cause, 'x'.repeat(length + 1), '😀'.repeat(length + 1));

const NO_ID = invalid('abc', '12a', '-5', '1.5', '0x10', '1,2', '1'.repeat(20), '１２', '1\u00002');

/** Malformed account names, mobile numbers and passwords, with their causes (rules 8). */
const NO_ACCOUNT = faulty(
  'account_malformed',
  ...['kim lee', 'kim_lee', 'kim-lee', 'kim@', '@abc234', 'kim@abc23', 'kim@abc2345678x'],
  ...['kim@ABC234', 'kim@abc-34', 'kim@abc 234', 'kim@abc234@abc234', 'kim lee@abc234'],
  ...['kim.', 'kîm', 'ｋｉｍ', '金', '٣'],
  ...['😀', 'a\u0000b', 'a\nb', 'a\ud83d'],
  'k'.repeat(63),
  'k'.repeat(256),
);
const NO_MOBILE = faulty(
  'mobile_invalid',
  ...['12800000000', '1380000000', '138000000000', '23800000000', '138 0000 0000', '138-0000-0000'],
  ...['１３８００００００００', 'mobile', '+', '+0', '+8', '+0138000000'],
  ...[`+${'1'.repeat(16)}`, '++8613800000000', '008613800000000', '1380000\u00000000', '13800000000\n1'],
  '1380000000\ud83d',
  '1'.repeat(256),
);
const NO_PASSWORD = [
  ...faulty('password_length', '1234567', '😀'.repeat(7), '한국어'.normalize('NFD'), '   '),
  ...tooLong(32, 'password_length'),
  ...faulty('password_length', `  ${'x'.repeat(29)}  `),
  ...invalid('correct\nhorse', 'correct \ud83d'),
];

/** The same faults, with different causes where given. */
const withCauses = (faults: readonly Fault[], causes: Partial<Record<Cause, Cause>>): Fault[] =>
  faults.map(([fault, value, cause]) => [fault, value, causes[cause] ?? cause]);

const DEPARTMENT = [...NO_NUMBER, ...NO_COUNT];
const ACCOUNT = [...ABSENT, ...NO_STRING, ...NO_ACCOUNT];
/** A new account has the short name; an existing one may be named by the full name. */
const NEW_ACCOUNT = [...ACCOUNT, ...faulty('account_malformed', 'kim@abc234')];
const NAME = [...ABSENT, ...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...tooLong(30, 'name_too_long')];

/** The faults of each kind of field in a JSON body (rules 4). */
export const BODY_FAULTS = {
  text: [...ABSENT, ...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...tooLong(255)],
  address: [...ABSENT, ...NO_STRING, ...UNREADABLE_LINES, ...HALF_PAIRS, ...tooLong(512)],
  optionalText: [...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...tooLong(255)],
  textOrEmpty: [MISSING, ...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...tooLong(255)],
  optionalAddress: [...NO_STRING, ...UNREADABLE_LINES, ...HALF_PAIRS, ...tooLong(512)],
  assetNum: [...ABSENT, ...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...NO_ASSET_NUMBER, ...tooLong(255)],
  assetNumInList: [NULL, EMPTY, BLANK, ...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...NO_ASSET_NUMBER, ...tooLong(255)],
  /** A password of a license may be blank. */
  secretInList: [NULL, EMPTY, ...NO_STRING, ...CONTROL_CHARACTERS, ...HALF_PAIRS, ...tooLong(255)],
  filledList: [...ABSENT, ...NO_LIST, ...invalid([])],
  element: [NULL, ...invalid(5, 'abc', [])],
  id: [...ABSENT, ...NO_STRING, ...NO_ID],
  optionalId: [...NO_STRING, ...NO_ID],
  long: [...ABSENT, ...NO_NUMBER, ...NO_COUNT],
  time: [...ABSENT, ...NO_NUMBER, ...NO_TIME],
  optionalTime: [...NO_NUMBER, ...NO_TIME],
  zeroOrOne: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(2)],
  optionalBoolean: invalid('true', 0, 1, [true], {}),
  date: [
    ...ABSENT,
    ...NO_TIME,
    ...invalid(true, [], 'tomorrow', '1893456000000', '2030-13-01', '2030-02-30', '2030-01-01T25:00:00Z', '1969-12-31'),
  ],
  choice: [...ABSENT, ...invalid('other', 5, [], {})],
  integer: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(2 ** 31)],
  size: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(0, 10_001, 2 ** 31)],
  list: [...ABSENT, ...NO_LIST],
  optionalList: NO_LIST,
  account: ACCOUNT,
  newAccount: withCauses(NEW_ACCOUNT, { field_missing: 'account_missing' }),
  password: withCauses([MISSING, NULL, EMPTY, ...NO_STRING, ...NO_PASSWORD], { field_missing: 'password_missing' }),
  department: DEPARTMENT,
  newDepartment: [...withCauses([EMPTY, BLANK], { field_missing: 'group_id_missing' }), ...DEPARTMENT],
  name: NAME,
  newName: withCauses(NAME, { field_missing: 'name_missing' }),
  remark: [...NO_STRING, ...UNREADABLE_LINES, ...HALF_PAIRS, ...tooLong(200, 'remark_too_long')],
  mobile: [...NO_STRING, ...NO_MOBILE],
  neededMobile: [...ABSENT, ...NO_STRING, ...NO_MOBILE],
  userList: withCauses([...ABSENT, ...NO_LIST, ...faulty('field_missing', [])], {
    field_missing: 'employee_list_empty',
  }),
} satisfies Record<string, readonly Fault[]>;

const NO_PAGE = invalid('0', '-1', '1.5', 'NaN', '1e2', '0x1', '１', '1,2', String(2 ** 31), '9'.repeat(30), '1\u0000');
const WITHOUT: Fault[] = [MISSING, EMPTY, BLANK];

/**
 * The faults of each kind of parameter in a query or path, where everything is text and half a surrogate pair is
 * impossible.
 */
export const TEXT_FAULTS = {
  text: [...WITHOUT, ...UNREADABLE, ...tooLong(255)],
  optionalText: [...UNREADABLE, ...tooLong(255)],
  pathText: [BLANK, ...UNREADABLE, ...tooLong(255)],
  optionalId: NO_ID,
  id: [BLANK, ...NO_ID],
  yesOrNo: [MISSING, EMPTY, ...invalid('X', 'y', 'YN', 'true', '1')],
  state: invalid('completed', 'FAILED'),
  limit: invalid('0', '1001', '-1', '1.5', 'NaN', '1e2'),
  cursor: invalid('x', '-1', '1.5', '9'.repeat(30)),
  page: [...WITHOUT, ...NO_PAGE],
  pageSize: [...WITHOUT, ...NO_PAGE, ...invalid('501')],
  department: invalid('sales', '-1', '1.5', 'NaN', '1e2', '１', String(2 ** 53), '9'.repeat(30), '1\u0000'),
  seconds: invalid('31', '-1', '0.5', 'NaN', 'soon'),
  time: invalid('2026-01-01', '-1', '1e3', '9'.repeat(17)),
  oneOf: invalid('no_such', 'NEW_BUY', 'false'),
} satisfies Record<string, readonly Fault[]>;

/** Returns fields by name from names by kind: `{ text: 'a b' }` gives `{ a: 'text', b: 'text' }`. */
export function fieldsOf<Kind extends string>(namesOf: Partial<Record<Kind, string>>): Record<string, Kind> {
  const entries = Object.entries(namesOf) as [Kind, string][];
  return Object.fromEntries(entries.flatMap(([kind, names]) => names.split(/\s+/).map((name) => [name, kind])));
}

/** One field with one faulty value. */
export interface FaultCase {
  path: string;
  fault: string;
  value: unknown;
  cause: Cause;
}

/** Returns every fault of every field, by the kinds of the fields. */
export function faultCases<Kind extends string>(
  fields: Record<string, Kind>,
  faults: Record<Kind, readonly Fault[]>,
): FaultCase[] {
  return Object.entries(fields).flatMap(([path, kind]) =>
    faults[kind].map(([fault, value, cause]) => ({ path, fault, value, cause })),
  );
}

/** Sets the value at a path; undefined removes the field. */
export function put(body: Sent, path: string, value: unknown): Sent {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop()!;
  const parent = keys.reduce((element, key) => element[key] as Sent, body);
  parent[last] = value;
  return body;
}

/** Expects a refusal by the order module, with the path of a field. Returns its message. */
export function expectRefused(answer: Answer, cause: Cause, path: string): string {
  const { code, message, ...refusal } = refusalOf(answer);
  expect({ code, cause: refusal.cause, path: pathIn(message) }).toEqual({ code: '13004', cause, path });
  return message;
}

/** Sends each fault in a call of its own, all at once, and expects that the order module refuses each. */
export async function expectAllRefused(
  faults: FaultCase[],
  send: (fault: FaultCase) => Promise<Answer>,
): Promise<void> {
  const outcomes = faults.map(async (each) => {
    const { code, cause, message } = refusalOf(await send(each));
    return { ...each, code, cause, path: pathIn(message) };
  });
  expect(await Promise.all(outcomes)).toEqual(faults.map((each) => ({ ...each, code: '13004' })));
}
