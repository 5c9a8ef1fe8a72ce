import type { Cause } from '@lockstep/contract';
import type { Sent } from './orders.ts';

/** What is wrong with a value, the value (undefined leaves the field out), and the cause that the refusal names. */
type Fault = readonly [fault: string, value: unknown, cause: Cause];

const invalid = (...values: [fault: string, value: unknown][]): Fault[] =>
  values.map(([fault, value]) => [fault, value, 'field_invalid']);

const NULL: Fault = ['null', null, 'field_missing'];
const EMPTY: Fault = ['empty', '', 'field_missing'];
const BLANK: Fault = ['blank', ' \t ', 'field_missing'];
const ABSENT: Fault[] = [['missing', undefined, 'field_missing'], NULL, EMPTY, BLANK];

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

/** What no text may hold. */
const CONTROL_CHARACTERS = invalid(
  ['with U+0000 inside', 'a\u0000b'],
  ['with a newline inside', 'a\nb'],
  ['with a tab inside', 'a\tb'],
  ['with ESC inside', 'a\u001bb'],
  ['with DEL inside', 'a\u007fb'],
  ['with a C1 control inside', 'a\u0085b'],
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

/** The faults of each kind of field in a JSON body (decisions 4). */
export const BODY_FAULTS = {
  text: [...ABSENT, ...NO_STRING, ...CONTROL_CHARACTERS, ...HALF_PAIRS, ...tooLong(255)],
  optionalAddress: [...NO_STRING, ...CONTROL_CHARACTERS, ...HALF_PAIRS, ...tooLong(512)],
  textInList: [NULL, EMPTY, BLANK, ...NO_STRING, ...CONTROL_CHARACTERS, ...HALF_PAIRS, ...tooLong(255)],
  filledList: [...ABSENT, ...NO_LIST, ...invalid(['an empty list', []])],
  element: [NULL, ...invalid(['a number', 5], ['text', 'abc'], ['a list', []])],
  id: [...ABSENT, ...NO_STRING, ...NO_ID],
  choice: [...ABSENT, ...invalid(['unknown', 'other'], ['a number', 5], ['a list', []], ['an object', {}])],
  integer: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(['2^31', 2 ** 31])],
  size: [...ABSENT, ...NO_NUMBER, ...NO_COUNT, ...invalid(['zero', 0], ['10,001', 10_001], ['2^31', 2 ** 31])],
} satisfies Record<string, readonly Fault[]>;

/** The faults of each kind of parameter in a query or a path, where everything is text and a half pair cannot be. */
export const TEXT_FAULTS = {
  text: [['missing', undefined, 'field_missing'], EMPTY, BLANK, ...CONTROL_CHARACTERS, ...tooLong(255)],
  optionalText: [...CONTROL_CHARACTERS, ...tooLong(255)],
  id: [BLANK, ...NO_ID],
  yesOrNo: [
    ['missing', undefined, 'field_missing'],
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
  seconds: invalid(['31', '31'], ['negative', '-1'], ['fractional', '0.5'], ['NaN', 'NaN'], ['a word', 'soon']),
} satisfies Record<string, readonly Fault[]>;

/** One faulty value of one field. */
export interface FaultCase {
  path: string;
  fault: string;
  value: unknown;
  cause: Cause;
}

/** Every fault of every field, by the kinds of the fields. */
export function faultCases<Kind extends string>(
  fields: Record<string, Kind>,
  faults: Record<Kind, readonly Fault[]>,
): FaultCase[] {
  return Object.entries(fields).flatMap(([path, kind]) =>
    faults[kind].map(([fault, value, cause]) => ({ path, fault, value, cause })),
  );
}

/** Puts a value where the path points to; undefined leaves the field out. */
export function put(body: Sent, path: string, value: unknown): Sent {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop()!;
  const parent = keys.reduce((element, key) => element[key] as Sent, body);
  parent[last] = value;
  return body;
}
