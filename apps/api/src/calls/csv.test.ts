import { Verdict } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { csvOf } from './csv.ts';

/** CSV of rows by their schema (rules 1.1). */

/** Returns the lines of a file with one row. */
function linesOf(row: z.ZodType, value: unknown): string[] {
  return csvOf(row)([value], true).split('\r\n').slice(0, -1);
}

it.each<[unknown, string]>([
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['2026-11', "'2026-11"],
  ['1/2/26', "'1/2/26"],
  ['12E5', "'12E5"],
  ['12E5A', '12E5A'],
  ['+86', "'+86"],
  ['-', "'-"],
  ['@a', "'@a"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['a\nb', '"a\nb"'],
  ['a=b', 'a=b'],
  ['0', '0'],
  ['007', "'007"],
  ['123456789012345', '123456789012345'],
  ['1234567890123456', "'1234567890123456"],
  ['9223372036854775807', "'9223372036854775807"],
  [-5, '-5'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  ['a,"b"\nc', '"a,""b""\nc"'],
  [['a', 'b'], 'a b'],
  [['007'], "'007"],
  [[], ''],
  [[{ a: 1 }], '"[{""a"":1}]"'],
  [{ b: 2 }, '"{""b"":2}"'],
])('writes %j as %s', (value, cell) => {
  expect(csvOf(z.object({ x: z.unknown(), y: z.number() }))([{ x: value, y: 1 }], false)).toBe(`${cell},1\r\n`);
});

it('has the reasons of a verdict as words', () => {
  const verdict = { usable: false, reasons: [{ reason: 'locked' }, { reason: 'empty' }] };
  expect(linesOf(z.object({ verdict: Verdict }), { verdict })).toEqual([
    '\uFEFFverdict.usable,verdict.reasons',
    'false,locked empty',
  ]);
});

it('has a column for each field of a field and of a union, and two for a time', () => {
  const product = z.object({ kind: z.literal('product'), endTime: z.number().nullable() });
  const row = z.object({
    owner: z.object({ id: z.string(), since: z.number() }).nullable(),
    item: z.discriminatedUnion('kind', [product, z.object({ kind: z.literal('other'), name: z.string().optional() })]),
    updateTime: z.string(),
  });
  const heading =
    '\uFEFFowner.id,owner.since,owner.sinceIso,item.kind,item.endTime,item.endTimeIso,item.name,updateTime';
  expect(linesOf(row, { owner: null, item: { kind: 'product', endTime: 0 }, updateTime: 'x' })).toEqual([
    heading,
    ',,,product,0,1970-01-01T00:00:00.000Z,,x',
  ]);
  expect(csvOf(row)([], true)).toBe(`${heading}\r\n`);
});
