import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from './causes.ts';
import { checkJsonShape, findRepeatedKey } from './json-shape.ts';
import { findJsonFault } from './reading/json-fault.ts';

/** The refusal of a text. */
function refusalOf(text: string): string | undefined {
  try {
    checkJsonShape(Buffer.from(text), 10_000);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.reason} ${error.message}`;
  }
}

/** The largest list and object of a value, and how deep it nests. */
function measure(value: unknown, depth = 0): { list: number; object: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { list: 0, object: 0, depth };
  const inside = Object.values(value).map((each) => measure(each, depth + 1));
  const size = Object.keys(value).length;
  return {
    list: Math.max(Array.isArray(value) ? size : 0, ...inside.map(({ list }) => list)),
    object: Math.max(Array.isArray(value) ? 0 : size, ...inside.map(({ object }) => object)),
    depth: Math.max(depth + 1, ...inside.map((each) => each.depth)),
  };
}

/** The first repeated key of a text that is JSON. */
function repeatedIn(text: string): string | undefined {
  const bytes = Buffer.from(text);
  return findRepeatedKey(bytes, checkJsonShape(bytes), JSON.parse(text));
}

const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',');

describe('a key that an object repeats', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"b":2,"a":{"c":1,"c":1},"b":3}', 'a'],
    ['{"a":{"x":{}},"b":[0,{"c":1,"d":{"c":0},"c":2}]}', 'b[1].c'],
    ['{"a":1,"\\u0061":1}', 'a'],
    ['{"\\u0061":1, "a" :1}', 'a'],
    ['{"\u00e9":1,"\\u00e9":1}', '["\u00e9"]'],
    ['{"":1,"":1}', ''],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    [`{${members(99)},"k0":1}`, 'k0'],
    [`{"a":{${members(40)}},"b":1,"a":1}`, 'a'],
    [`{"${'k'.repeat(99)}":1,"${'k'.repeat(99)}":1}`, 'k'.repeat(64)],
  ])('has its path: %.60s', (text, path) => {
    expect(repeatedIn(text)).toBe(path);
  });

  it.each([
    ['the same keys in other objects', '{"a":{"a":1,"b":{"a":1}},"b":[{"a":1},{"a":1}],"c":{"a":1}}'],
    ['keys that only look the same', '{"a":1,"A":1,"\\u0061b":1,"ab ":1,"":1,"e\u0301":1,"\u00e9":1,"__proto__":1}'],
    ['values and elements that repeat', '{"a":"b","c":"b","d":["b","b"]}'],
  ])('is not found in %s', (_what, text) => {
    expect(repeatedIn(text)).toBeUndefined();
  });

  it('is found wherever JSON.parse loses a value', () => {
    const key = fc.constantFrom('a', 'b', '\\u0061', 'é', '\\u00e9', 'k'.repeat(40));
    const tree = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant('0'),
        fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(',')}]`),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((all) => {
          return `{${all.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
        }),
      ),
    })).value;
    fc.assert(
      fc.property(tree, (text) => {
        const colons = text.split(':').length;
        const isLost = JSON.stringify(JSON.parse(text)).split(':').length < colons;
        expect(repeatedIn(text) !== undefined).toBe(isLost);
        expect(findJsonFault(text) !== undefined).toBe(isLost);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the shape of a JSON text', () => {
  it('accepts all JSON within the limits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(4), (value, blanks) => {
        expect(measure(value)).toMatchObject({ depth: expect.any(Number) });
        expect(refusalOf(JSON.stringify(value, undefined, blanks))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['quotes and brackets inside strings', JSON.stringify({ a: '[[["{{{,,,\\"', '"[,{': ['\\', '\\"', ']'] })],
    ['10,000 elements', `[${'0,'.repeat(9_999)}0]`],
    ['100 members', `{${members(100)}}`],
    ['64 nested lists', '['.repeat(64) + ']'.repeat(64)],
    ['empty lists and objects, which have no elements', `[${'[],{},'.repeat(4_999)}[ ]]`],
    ['text that is not JSON', ']]}}"\\"'],
    ['an empty text', ''],
  ])('accepts %s', (_what, text) => {
    expect(refusalOf(text)).toBeUndefined();
  });

  it.each([
    ['10,001 elements', `{"a":[1,{"b":[${'0,'.repeat(10_000)}0]}]}`, /^list_too_long a\[1\]\.b: .*10000/],
    ['10,001 empty lists', `[${'[],'.repeat(10_000)}[]]`, /^list_too_long body: .*10000/],
    ['50,001 elements', `[${`[${'0,'.repeat(9_999)}0],`.repeat(5)}[0]]`, /^list_too_long .*: .*50000/],
    ['101 members', `{"a":{${members(101)}}}`, /^list_too_long a: .*100\b/],
    ['65 nested lists', '['.repeat(65) + ']'.repeat(65), /^json_too_deep /],
    ['65 open lists', '['.repeat(65), /^json_too_deep /],
    [
      'merchandise that nests 17 deep',
      `{"merchandises":[${'{"children":['.repeat(16)}0`,
      /^merchandise_too_deep merchandises\[0\](\.children\[0\]){16}: /,
    ],
    ['a key of a megabyte, quoting only its start', `{"${'k'.repeat(1e6)}":[${'0,'.repeat(10_001)}`, /^.{0,160}$/],
  ])('refuses %s', (_what, text, refusal) => {
    expect(refusalOf(text)).toMatch(refusal);
  });

  it('does not count an empty list called children as merchandise', () => {
    expect(refusalOf(`{"merchandises":[${'{"children":['.repeat(15)}{"children":[]}`)).toBeUndefined();
  });
});
