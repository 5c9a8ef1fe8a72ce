import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseFrom, parseId, parseLimit, parseOverlapHours, parseText, parseTo } from './options.ts';

const local = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  String(new Date(...parts).getTime());

describe('--accepted-from and --accepted-to', () => {
  it.each([
    ['1790000000000', '1790000000000', '1790000000000'],
    ['0', '0', '0'],
    ['2026-11-22', local(2026, 10, 22), local(2026, 10, 22, 23, 59, 59, 999)],
    ['2026-11-22T09:01', local(2026, 10, 22, 9, 1), local(2026, 10, 22, 9, 1)],
    ['2026-11-22 09:01:02', local(2026, 10, 22, 9, 1, 2), local(2026, 10, 22, 9, 1, 2)],
    ['2026-11-22T09:01:02.345Z', '1795338062345', '1795338062345'],
    ['2026-11-22t09:01:02.345z', '1795338062345', '1795338062345'],
    ['2026-11-22T17:01:02.345+08:00', '1795338062345', '1795338062345'],
  ])('read %s', (text, from, to) => {
    expect([parseFrom(text), parseTo(text)]).toEqual([from, to]);
  });

  it.each(['', 'yesterday', '2026-02-30', '2026-13-01', '2026-11-22T25:00', '2026-11-22T', '-1', '1e3', '1969-12-01'])(
    'refuse %j',
    (text) => {
      for (const parse of [parseFrom, parseTo]) expect(() => parse(text)).toThrow(InvalidArgumentError);
    },
  );
});

it.each([
  ['--limit', parseLimit, ['1', '50', '1000000'], ['0', '-1', '1000001', '1.5', '', ' ', 'all', '0x10']],
  [
    '--overlap-hours',
    parseOverlapHours,
    ['0', '1', '24', '720'],
    ['-1', '721', '999', '1000', '1.5', '1e1', '0x10', '+5', '', ' ', ' 5', 'day', '٣'],
  ],
])('%s is an integer between two bounds', (_, parse, accepted, refused) => {
  for (const text of accepted) expect(parse(text)).toBe(Number(text));
  for (const text of refused) expect(() => parse(text), text).toThrow(InvalidArgumentError);
});

it('ids are 1 to 19 digits', () => {
  expect(parseId('9223372036854775807')).toBe('9223372036854775807');
  for (const text of ['', 'abc', '-1', '12345678901234567890', '1/2', '..']) {
    expect(() => parseId(text)).toThrow(InvalidArgumentError);
  }
});

it('an empty filter, such as an unset variable in a script, is refused', () => {
  expect(parseText(' Zoe\u0308 ')).toBe('Zoë');
  for (const text of ['', '  ']) expect(() => parseText(text)).toThrow(InvalidArgumentError);
});
