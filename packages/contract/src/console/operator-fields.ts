import { z } from 'zod';

/** The shortest and longest password that an operator may choose. */
export const OPERATOR_PASSWORD = { minCharacters: 12, maxCharacters: 128 };

/** A new password of an operator. */
export function password() {
  const { minCharacters, maxCharacters } = OPERATOR_PASSWORD;
  const rule = `must have ${minCharacters} to ${maxCharacters} characters`;
  return z.string(rule).refine((value) => value.length >= minCharacters && value.length <= maxCharacters, rule);
}

/** The name of an operator: with it they log in, and it stands in the record of what they changed. */
export const OperatorName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 lower-case letters, digits, and . _ - between them',
  );
