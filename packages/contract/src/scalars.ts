import { z } from 'zod';

/** What no text may hold: control characters, and half surrogates that UTF-8 cannot carry (decisions 4). */
const CLEAN_TEXT = /^[^\p{Cc}\p{Cs}]*$/u;

const MAX_TEXT_CHARACTERS = 255;
const MAX_INTEGER = 2_147_483_647;

const characterCount = (value: string) => value.length - (value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

function boundedText(maxCharacters: number) {
  return z
    .string()
    .trim()
    .regex(CLEAN_TEXT, 'must not hold control characters')
    .refine((value) => value.length <= maxCharacters || characterCount(value) <= maxCharacters, {
      message: `must be at most ${maxCharacters} characters`,
    })
    .meta({ maxLength: maxCharacters });
}

/** A required text: trimmed, not empty, at most 255 characters unless told (decisions 4). */
export function text(maxCharacters = MAX_TEXT_CHARACTERS) {
  return boundedText(maxCharacters).min(1, 'is required');
}

/** A required text that may be empty: parentMerchandiseNum and parentCrmProductId (decisions 4). */
export function textOrEmpty() {
  return boundedText(MAX_TEXT_CHARACTERS);
}

/** An optional text: absent, null and the empty string are all `undefined` (decisions 4). */
export function optionalText(maxCharacters = MAX_TEXT_CHARACTERS) {
  return boundedText(maxCharacters)
    .nullish()
    .transform((value) => value || undefined);
}

/** An optional value: null counts as absent (decisions 4). */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** An id: decimal digits, at most 19 (decisions 4). Opaque to clients. */
export function id() {
  return z
    .string()
    .trim()
    .min(1, 'is required')
    .regex(/^\d{1,19}$/, 'must be 1 to 19 decimal digits');
}

/** An optional id: absent, null and the empty string are all `undefined`. */
export function optionalId() {
  return z
    .string()
    .trim()
    .regex(/^\d{0,19}$/, 'must be 1 to 19 decimal digits')
    .nullish()
    .transform((value) => value || undefined);
}

/** A secret text: never trimmed (decisions 4). */
export function secret() {
  return z
    .string()
    .min(1, 'is required')
    .max(MAX_TEXT_CHARACTERS, `must be at most ${MAX_TEXT_CHARACTERS} characters`)
    .regex(CLEAN_TEXT, 'must not hold control characters');
}

/** A Long that is a count, a duration or a time in milliseconds since 1970-01-01 UTC (decisions 4). */
export function long() {
  return z.number().int('must be a whole number within 53 bits').min(0, 'must not be negative');
}

/** An Integer that is a count: 0 to 2^31 - 1. */
export function integer() {
  return z.number().int('must be a whole number').min(0, 'must not be negative').max(MAX_INTEGER, 'is too large');
}

/** 0 or 1. */
export function flag() {
  return z.literal([0, 1], 'must be 0 or 1');
}

const DATE_FAULT = 'must be milliseconds since 1970 or an ISO 8601 date';

/** A date as Long milliseconds or ISO 8601 text (UTC where it names no offset), read as milliseconds (decisions 4). */
export function date() {
  const isoText = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);
  const isoDate = isoText.transform((value) =>
    Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/.test(value) ? value : `${value}Z`),
  );
  return z.union([long(), isoDate.pipe(long())], DATE_FAULT);
}
