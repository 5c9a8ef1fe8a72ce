import { expect, it } from 'vitest';
import { buildMessage, Refusal } from './causes.ts';

it('a message has the values that it names filled in', () => {
  expect(buildMessage('list_too_long', 'orderList', 5_000)).toBe('orderList: more than 5000 elements.');
  expect(buildMessage('field_missing', 'name')).toBe('name: is required');
});

it('a message repeats the beginning of what was sent, however long that is', () => {
  const { message } = new Refusal('list_too_long', '😀'.repeat(10_000_000), 5_000);
  expect(message).toMatch(/^(😀){999}….*: more than 5000 elements\.$/u);
  expect(Array.from(message).length).toBeLessThan(1_100);
  expect(message.isWellFormed()).toBe(true);
});

it('what is filled in is not filled in again', () => {
  expect(buildMessage('enterprise_mismatch', '{1}', 'E')).toBe('Customer {1} does not belong to enterprise E.');
});
