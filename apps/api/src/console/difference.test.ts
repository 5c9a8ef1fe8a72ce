import { expect, it } from 'vitest';
import { compareWithFailed } from './difference.ts';

type Fields = Record<string, unknown>;

const product = (changes: Fields = {}) => ({ productUri: 'cost', limitConcurrent: 1, passwords: ['one'], ...changes });
const order = (sequence: number, changes: Fields = {}) => ({
  sequence,
  customerId: '7',
  enterpriseGlobalId: '9',
  orderType: 'new_buy',
  licenseType: 'softkey',
  assets: [{ assetNos: ['8100'], products: [product()] }],
  ...changes,
});
const withProducts = (...products: Fields[]) => ({ assets: [{ assetNos: ['8100'], products }] });

/** Compares with what a batch of these orders stores. */
function compare(failed: Fields[], sent: Fields[]) {
  const [one, ...rest] = sent.map((order, index) => [index, order]);
  const chunks = [{ payload: JSON.stringify(rest) }, { payload: JSON.stringify([one]) }];
  return compareWithFailed({ chunks }, failed);
}
const none = { leftOut: 0, added: 0, changes: [], more: 0 };

it('is empty if orders are sent unchanged, in any order', () => {
  expect(compare([order(1), order(2)], [order(2), order(1)])).toEqual(none);
});

it('lists each field that differs, by order and path', () => {
  const sent = withProducts(product({ limitConcurrent: 2, limitEndDate: 5 }), product({ passwords: undefined }));
  expect(compare([order(3)], [order(3, { customerId: '8', ...sent })])).toEqual({
    ...none,
    changes: [
      { sequence: 3, field: 'customerId', before: '7', after: '8' },
      { sequence: 3, field: 'assets[0].products[0].limitConcurrent', before: 1, after: 2 },
      { sequence: 3, field: 'assets[0].products[0].limitEndDate', after: 5 },
      { sequence: 3, field: 'assets[0].products[1].productUri', after: 'cost' },
      { sequence: 3, field: 'assets[0].products[1].limitConcurrent', after: 1 },
    ],
  });
  expect(compare([order(1)], [order(1, withProducts())]).changes).toEqual([
    { sequence: 1, field: 'assets[0].products[0].productUri', before: 'cost' },
    { sequence: 1, field: 'assets[0].products[0].limitConcurrent', before: 1 },
    { sequence: 1, field: 'assets[0].products[0].passwords[0]', before: '(hidden)' },
  ]);
});

it('counts orders that were left out or added', () => {
  const difference = compare([order(1), order(2), order(4)], [order(2), order(3)]);
  expect(difference).toMatchObject({ leftOut: 2, added: 1, more: 0 });
  expect(difference.changes).toContainEqual({ sequence: 3, field: 'assets[0].products[0].productUri', after: 'cost' });
});

it('lists a changed password, but not its value', () => {
  const sent = withProducts(product({ passwords: ['two', 'three'] }));
  const difference = compare([order(1)], [order(1, sent), order(2)]);
  expect(difference.changes.slice(0, 2)).toEqual([
    { sequence: 1, field: 'assets[0].products[0].passwords[0]', before: '(hidden)', after: '(hidden)' },
    { sequence: 1, field: 'assets[0].products[0].passwords[1]', after: '(hidden)' },
  ]);
  expect(JSON.stringify(difference)).not.toMatch(/one|two|three/);
});

it('is bounded', () => {
  const numbers = (letter: string) => Array.from({ length: 60 }, (_, index) => `${index}${letter.repeat(250)}`);
  const assets = (letter: string) => ({ assets: [{ assetNos: numbers(letter), products: [product()] }] });
  const { changes, more } = compare([order(1, assets('a'))], [order(1, assets('b'))]);
  expect([changes.length, more]).toEqual([50, 10]);
  expect(changes[0]!.after).toBe(`0${'b'.repeat(199)}…`);
});
