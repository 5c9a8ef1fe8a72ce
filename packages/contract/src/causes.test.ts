import { expect, it } from 'vitest';
import { buildMessage, causes, Refusal } from './causes.ts';

it('fills in the values of a message', () => {
  const [before, after] = causes.enterprise_mismatch.message.split('{0}');
  expect(buildMessage('enterprise_mismatch', 7, 'E')).toBe(`${before}7${after!.replace('{1}', 'E')}`);
});

it('leaves out values that are not given', () => {
  expect(buildMessage('field_missing', 'name')).toBe(
    causes.field_missing.message.replace('{0}', 'name').replace('{1}', ''),
  );
});

it('shortens a long value', () => {
  const { message } = new Refusal('list_too_long', '😀'.repeat(10_000_000), 2_000);
  expect(message).toMatch(/^(😀){999}…: /u);
  expect(message).toContain('2000');
  expect(Array.from(message).length).toBeLessThan(1_100);
  expect(message.isWellFormed()).toBe(true);
});

it('leaves a placeholder in a value as it is', () => {
  expect(buildMessage('enterprise_mismatch', '{1}', 'E')).toContain('{1}');
});
