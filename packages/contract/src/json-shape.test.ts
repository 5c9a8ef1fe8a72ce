import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from './causes.ts';
import { checkJsonShape } from './json-shape.ts';

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
    ['1,000 members', `{${'"a":0,'.repeat(999)}"a":0}`],
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
    ['500,001 elements', `[${`[${'0,'.repeat(9_999)}0],`.repeat(50)}[0]]`, /^list_too_long .*: .*500000/],
    ['1,001 members', `{"a":{${'"b":0,'.repeat(1_000)}"b":0}}`, /^list_too_long a: .*1000\b/],
    ['65 nested lists', '['.repeat(65) + ']'.repeat(65), /^json_too_deep /],
    ['65 open lists', '['.repeat(65), /^json_malformed /],
    ['65 lists that are closed inside a string', `${'['.repeat(65)}"${']'.repeat(65)}"`, /^json_malformed /],
    [
      'merchandise that nests 17 deep',
      `{"merchandises":[${'{"children":['.repeat(16)}0`,
      /^merchandise_too_deep merchandises\[0\](\.children\[0\]){16}: /,
    ],
    ['a key of a megabyte, quoting only its start', `{"${'k'.repeat(1e6)}":[${'0,'.repeat(10_001)}`, /^.{0,130}$/],
  ])('refuses %s', (_what, text, refusal) => {
    expect(refusalOf(text)).toMatch(refusal);
  });

  it('does not count an empty list called children as merchandise', () => {
    expect(refusalOf(`{"merchandises":[${'{"children":['.repeat(15)}{"children":[]}`)).toBeUndefined();
  });
});
