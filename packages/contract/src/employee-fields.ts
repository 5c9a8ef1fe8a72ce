import { z } from 'zod';
import { REQUIRED, secret, text } from './scalars.ts';

const MAX_NAME_CHARACTERS = 30;
export const MAX_REMARK_CHARACTERS = 200;
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 32;
/** An account name and the code of its enterprise together must be shorter than this (interface M1). */
export const ACCOUNT_CHARACTERS = 63;

const ACCOUNT = /^[A-Za-z0-9]{1,62}$/;
/** A mobile number of mainland China, or any in E.164 (rules 8). */
const MOBILE = /^(1[3-9]\d{9}|\+[1-9]\d{1,14})$/;

/** The options of a zod check that refuses with a cause of its own in place of field_invalid. */
export const refuse = (cause: string) => ({ params: { cause }, message: cause });

export const account = z
  .string()
  .trim()
  .min(1, REQUIRED)
  .refine((value) => value === '' || ACCOUNT.test(value), refuse('account_malformed'))
  .meta({
    pattern: ACCOUNT.source,
    description:
      'Letters A-Z a-z and digits; with the enterprise code, which is appended, fewer than 63 characters. Capitals ' +
      "count: Mei and mei are two accounts. A deleted employee's name is free again.",
  });

/** The short account name, or the full one with the enterprise code: `name@code`. */
const SHORT_OR_FULL_ACCOUNT = /^[A-Za-z0-9]{1,62}(@[a-z0-9]{6,10})?$/;

export const shortOrFullAccount = z
  .string()
  .trim()
  .min(1, REQUIRED)
  .refine((value) => value === '' || SHORT_OR_FULL_ACCOUNT.test(value), refuse('account_malformed'))
  .meta({ pattern: SHORT_OR_FULL_ACCOUNT.source });

export const password = secret(MAX_PASSWORD_CHARACTERS, 'password_length')
  .refine((value) => value === '' || [...value].length >= MIN_PASSWORD_CHARACTERS, refuse('password_length'))
  .meta({ minLength: MIN_PASSWORD_CHARACTERS, format: 'password' });

export const mobile = z
  .string()
  .trim()
  .refine((value) => value === '' || MOBILE.test(value), refuse('mobile_invalid'))
  .meta({
    pattern: MOBILE.source,
    description:
      'Security mobile number: 11 digits that begin with 13 to 19, or + and up to 15 digits. Nobody can log in with it.',
  });

export const name = text(MAX_NAME_CHARACTERS, 'name_too_long').describe(
  `Name of the employee, at most ${MAX_NAME_CHARACTERS} characters.`,
);
export const REMARK = `Any text, at most ${MAX_REMARK_CHARACTERS} characters; it may hold line breaks.`;

/** Creates an optional field of M2. Absent or empty leaves the value as it is, null clears it (rules 4 and 8). */
export const clearable = <Schema extends z.ZodType<string | number | undefined>>(schema: Schema, meaning: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && value.trim() === '' ? undefined : value),
      schema.nullable().optional(),
    )
    .describe(`${meaning} Absent or empty: it stays as it is; null: it is cleared.`);
