import { expect, it } from 'vitest';
import { markPasswords } from './content.ts';

const mark = (orders: unknown) => JSON.parse(markPasswords(JSON.stringify(orders), '(hidden)'));

it('replaces each password with a mark, and changes nothing else', () => {
  const order = (passwords: string[] | undefined) => [
    0,
    {
      customerName: 'A "passwords":["b"] \\',
      assets: [{ products: [{ productUri: 'p', passwords, timeUnit: 'year' }] }],
    },
  ];
  expect(mark([order(['one', 't"w\\o', '", "passwords":["three"]']), order([]), order(undefined)])).toEqual([
    order(['(hidden)', '(hidden)', '(hidden)']),
    order([]),
    order(undefined),
  ]);
});

it('handles long lists of long passwords', () => {
  const passwords = Array<string>(10_000).fill('\\'.repeat(255));
  expect(mark({ passwords }).passwords).toEqual(Array(10_000).fill('(hidden)'));
});
