import { describe, expect, it } from 'vitest';
import { isId } from './ids.ts';

describe('isId', () => {
  it.each(['1', '10', '100001', '9007199254740993', '9223372036854775807'])('takes %s', (digits) => {
    expect(isId(digits)).toBe(true);
  });

  it.each([
    ['zero', '0'],
    ['a leading zero', '0100001'],
    ['nothing but zeros', '0000000000000000000'],
    ['one more than 63 bits hold', '9223372036854775808'],
    ['the most that 19 digits say', '9999999999999999999'],
    ['20 digits', '10000000000000000000'],
    ['nothing', ''],
    ['letters', '12a'],
    ['a blank', ' 1'],
    ['other digits', '１２'],
  ])('refuses %s: %s', (_, digits) => expect(isId(digits)).toBe(false));
});
