import type { Cause } from '@lockstep/contract';
import type { Sent } from './orders.ts';

/** What is wrong with a value, the value (undefined omits the field), and the cause of the refusal. */
type Fault = readonly [fault: string, value: unknown, cause: Cause];

const invalid = (...values: [fault: string, value: unknown][]): Fault[] =>
  values.map(([fault, value]) => [fault, value, 'field_invalid']);

const NULL: Fault = ['null', null, 'field_missing'];
const EMPTY: Fault = ['empty', '', 'field_missing'];
const BLANK: Fault = ['blank', ' \t ', 'field_missing'];
const MISSING: Fault = ['missing', undefined, 'field_missing'];
const ABSENT: Fault[] = [MISSING, NULL, EMPTY, BLANK];

const NO_STRING = invalid(
  ['a number', 5],
  ['zero', 0],
  ['a boolean', true],
  ['false', false],
  ['a list', ['a']],
  ['an empty list', []],
  ['an object', { a: 1 }],
);
const NO_NUMBER = invalid(
  ['text', 'abc'],
  ['digits as text', '5'],
  ['NaN as text', 'NaN'],
  ['a boolean', true],
  ['a list', [5]],
  ['an object', { a: 1 }],
);
const NO_LIST = invalid(['text', 'abc'], ['a number', 5], ['a boolean', true], ['an object', { 0: 'a', length: 1 }]);
const NO_COUNT = invalid(
  ['negative', -1],
  ['fractional', 1.5],
  ['2^53', 2 ** 53],
  ['-2^53', -(2 ** 53)],
  ['1e300', 1e300],
);
const NO_TIME: Fault[] = NO_COUNT.map(([fault, value]) => {
  return [fault, value, (value as number) > 2 ? 'date_not_milliseconds' : 'field_invalid'];
});

/** Characters that no text may contain, except remark and address, which may contain line breaks. */
const LINE_BREAKS = invalid(['with a line feed inside', 'a\nb'], ['with a carriage return inside', 'a\rb']);
const OTHER_CONTROL_CHARACTERS = invalid(
  ['with U+0000 inside', 'a\u0000b'],
  ['with a tab inside', 'a\tb'],
  ['with a vertical tab inside', 'a\vb'],
  ['with a form feed inside', 'a\fb'],
  ['with ESC inside', 'a\u001bb'],
  ['with DEL inside', 'a\u007fb'],
  ['with a C1 control inside', 'a\u0085b'],
);
const CONTROL_CHARACTERS = [...LINE_BREAKS, ...OTHER_CONTROL_CHARACTERS];
/** Texts without a visible character. */
const INVISIBLE = invalid(
  ['a zero-width space', '\u200b'],
  ['marks of direction, fillers and blanks', ' \u202e\u3164\u00ad\u2800\u2003\u202c '],
);
const UNREADABLE = [...CONTROL_CHARACTERS, ...INVISIBLE];
const UNREADABLE_LINES = [...OTHER_CONTROL_CHARACTERS, ...INVISIBLE];
/** What a spreadsheet makes of an asset number, and characters that nobody sees in one (rules 4). */
const NO_ASSET_NUMBER = invalid(
  ...[
    '8.1E+09',
    '8,1e9',
    '8E+9',
    '8100000001.0',
    '8100000001,00',
    '8,100,000,001',
    '8.100.000.001,00',
    '8 100 000 001',
    '08100000001',
    "'8100000001",
    '="8100000001"',
    '８.１Ｅ＋０９',
    '8100000001\u200b',
    '\u202a8100000001\u202c',
    '81\u00ad0',
    '81\ufe0f',
    '81\ue000',
    '81\u2028\u0031',
  ].map((value): [string, string] => [JSON.stringify(value), value]),
);
const HALF_PAIRS = invalid(['with half a surrogate pair', 'a\ud83d'], ['with the other half', '\ude00b']);
const tooLong = (length: number) =>
  invalid(
    [`${length + 1} characters long`, 'x'.repeat(length + 1)],
    [`${length + 1} emoji long`, '😀'.repeat(length + 1)],
  );

const NO_ID = invalid(
  ['letters', 'abc'],
  ['digits and a letter', '12a'],
  ['signed', '-5'],
  ['fractional', '1.5'],
  ['hexadecimal', '0x10'],
  ['two', '1,2'],
  ['20 digits', '1'.repeat(20)],
  ['full-width digits', '１２'],
  ['with U+0000 inside', '1\u00002'],
);

/** Malformed account names, mobile numbers and passwords, with their causes (rules 8). */
const malformed = (value: string): Fault => [JSON.stringify(value), value, 'account_malformed'];
const NO_ACCOUNT = [
  'kim lee',
  'kim_lee',
  'kim-lee',
  'kim@',
  '@abc234',
  'kim@abc23',
  'kim@abc2345678x',
  'kim@ABC234',
  'kim@abc-34',
  'kim@abc 234',
  'kim@abc234@abc234',
  'kim lee@abc234',
  'kim.',
  'kîm',
  'ｋｉｍ',
  '金',
  '٣',
  '😀',
  'a\u0000b',
  'a\nb',
  'a\ud83d',
  'k'.repeat(63),
  'k'.repeat(256),
].map(malformed);
const NO_MOBILE = [
  '12800000000',
  '1380000000',
  '138000000000',
  '23800000000',
  '138 0000 0000',
  '138-0000-0000',
  '１３８００００００００',
  'mobile',
  '+',
  '+0',
  '+8',
  '+0138000000',
  `+${'1'.repeat(16)}`,
  '++8613800000000',
  '008613800000000',
  '1380000\u00000000',
  '13800000000\n1',
  '1380000000\ud83d',
  '1'.repeat(256),
].map((value): Fault => [JSON.stringify(value), value, 'mobile_invalid']);
const NO_PASSWORD: Fault[] = [
  ['7 characters long', '1234567', 'password_length'],
  ['7 emoji long', '😀'.repeat(7), 'password_length'],
  ['3 decomposed Hangul syllables long', '한국어'.normalize('NFD'), 'password_length'],
  ['3 blanks', '   ', 'password_length'],
  ['33 characters long', 'x'.repeat(33), 'password_length'],
  ['33 emoji long', '😀'.repeat(33), 'password_length'],
  ['33 characters long with blanks around', `  ${'x'.repeat(29)}  `, 'password_length'],
  ...invalid(['with a newline inside', 'correct\nhorse'], ['with half a surrogate pair', 'correct \ud83d']),
];

/** The same faults, with different causes where given. */
const withCauses = (faults: readonly Fault[], causes: Partial<Record<Cause, Cause>>): Fault[] =>
  faults.map(([fault, value, cause]) => [fault, value, causes[cause] ?? cause]);
const tooLongFor = (length: number, cause: Cause) => withCauses(tooLong(length), { field_invalid: cause });

const DEPARTMENT = [...NO_NUMBER, ...NO_COUNT];
const ACCOUNT = [...ABSENT, ...NO_STRING, ...NO_ACCOUNT];
/** A new account has the short name; an existing one may be named by the full name. */
const NEW_ACCOUNT = [...ACCOUNT, malformed('kim@abc234')];
const NAME = [...ABSENT, ...NO_STRING, ...UNREADABLE, ...HALF_PAIRS, ...tooLongFor(30, 'name_too_long')];

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
  filledList: [...ABSENT, ...NO_LIST, ...invalid(['an empty list', []])],
  element: [NULL, ...invalid(['a number', 5], ['text', 'abc'], ['a list', []])],
  id: [...ABSENT, ...NO_STRING, ...NO_ID],
  optionalId: [...NO_STRING, ...NO_ID],
  long: [...ABSENT, ...NO_NUMBER, ...NO_COUNT],
  time: [...ABSENT, ...NO_NUMBER, ...NO_TIME],
  optionalTime: [...NO_NUMBER, ...NO_TIME],
  zeroOrOne: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(['2', 2])],
  optionalBoolean: invalid(['text', 'true'], ['0', 0], ['1', 1], ['a list', [true]], ['an object', {}]),
  date: [
    ...ABSENT,
    ...NO_TIME,
    ...invalid(
      ['a boolean', true],
      ['a list', []],
      ['words', 'tomorrow'],
      ['digits as text', '1893456000000'],
      ['month 13', '2030-13-01'],
      ['30 February', '2030-02-30'],
      ['25 o’clock', '2030-01-01T25:00:00Z'],
      ['before 1970', '1969-12-31'],
    ),
  ],
  choice: [...ABSENT, ...invalid(['unknown', 'other'], ['a number', 5], ['a list', []], ['an object', {}])],
  integer: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(['2^31', 2 ** 31])],
  size: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(['zero', 0], ['10,001', 10_001], ['2^31', 2 ** 31])],
  list: [...ABSENT, ...NO_LIST],
  optionalList: NO_LIST,
  account: ACCOUNT,
  newAccount: withCauses(NEW_ACCOUNT, { field_missing: 'account_missing' }),
  password: withCauses([MISSING, NULL, EMPTY, ...NO_STRING, ...NO_PASSWORD], {
    field_missing: 'password_missing',
  }),
  department: DEPARTMENT,
  newDepartment: [...withCauses([EMPTY, BLANK], { field_missing: 'group_id_missing' }), ...DEPARTMENT],
  name: NAME,
  newName: withCauses(NAME, { field_missing: 'name_missing' }),
  remark: [...NO_STRING, ...UNREADABLE_LINES, ...HALF_PAIRS, ...tooLongFor(200, 'remark_too_long')],
  mobile: [...NO_STRING, ...NO_MOBILE],
  neededMobile: [...ABSENT, ...NO_STRING, ...NO_MOBILE],
  userList: withCauses([...ABSENT, ...NO_LIST, ['an empty list', [], 'field_missing']], {
    field_missing: 'employee_list_empty',
  }),
} satisfies Record<string, readonly Fault[]>;

const NO_PAGE = invalid(
  ['zero', '0'],
  ['negative', '-1'],
  ['fractional', '1.5'],
  ['NaN', 'NaN'],
  ['1e2', '1e2'],
  ['hexadecimal', '0x1'],
  ['full-width', '１'],
  ['two', '1,2'],
  ['2^31', String(2 ** 31)],
  ['30 digits', '9'.repeat(30)],
  ['with U+0000 inside', '1\u0000'],
);
const WITHOUT: Fault[] = [MISSING, EMPTY, BLANK];

/**
 * The faults of each kind of parameter in a query or path, where everything is text and half a surrogate pair is
 * impossible.
 */
export const TEXT_FAULTS = {
  text: [...WITHOUT, ...UNREADABLE, ...tooLong(255)],
  optionalText: [...UNREADABLE, ...tooLong(255)],
  id: [BLANK, ...NO_ID],
  yesOrNo: [
    MISSING,
    EMPTY,
    ...invalid(['another letter', 'X'], ['in lower case', 'y'], ['both', 'YN'], ['a word', 'true'], ['a number', '1']),
  ],
  state: invalid(['unknown', 'completed'], ['in upper case', 'FAILED']),
  limit: invalid(
    ['zero', '0'],
    ['1,001', '1001'],
    ['negative', '-1'],
    ['fractional', '1.5'],
    ['NaN', 'NaN'],
    ['1e2', '1e2'],
  ),
  cursor: invalid(['a word', 'x'], ['negative', '-1'], ['fractional', '1.5'], ['30 digits', '9'.repeat(30)]),
  page: [...WITHOUT, ...NO_PAGE],
  pageSize: [...WITHOUT, ...NO_PAGE, ...invalid(['501', '501'])],
  department: invalid(
    ['a word', 'sales'],
    ['negative', '-1'],
    ['fractional', '1.5'],
    ['NaN', 'NaN'],
    ['1e2', '1e2'],
    ['full-width', '１'],
    ['2^53', String(2 ** 53)],
    ['30 digits', '9'.repeat(30)],
    ['with U+0000 inside', '1\u0000'],
  ),
  seconds: invalid(['31', '31'], ['negative', '-1'], ['fractional', '0.5'], ['NaN', 'NaN'], ['a word', 'soon']),
} satisfies Record<string, readonly Fault[]>;

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
