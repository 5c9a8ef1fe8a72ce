import { z } from 'zod';
import type { Cause } from './causes.ts';
import { boundedArray } from './containers.ts';

/** Characters that no text may contain (rules 4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
const CLEAN_TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
/** Characters that a text may not contain even if it may contain line breaks (rules 4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTER_IN_LINES = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const CLEAN_LINES_PATTERN = '^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$';

/** The message for a missing text. */
export const REQUIRED = 'is required';

const MAX_TEXT_CHARACTERS = 255;
/** The limit of an address (rules 4). */
export const MAX_ADDRESS_CHARACTERS = 512;
const MAX_INTEGER = 2_147_483_647;

/** Whether a text has too many characters as people count them: a pair of surrogates is one character. */
function isTooLong(value: string, maxCharacters: number): boolean {
  if (value.length <= maxCharacters || value.length > 2 * maxCharacters) return value.length > maxCharacters;
  const pairs = value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return value.length - pairs > maxCharacters;
}

/** Says what is wrong with a text, if anything. Refuses half a surrogate pair, because UTF-8 cannot carry it. */
function textFault(value: string, { minCharacters, maxCharacters, lines }: TextBounds): string | undefined {
  if (value.length < minCharacters) return REQUIRED;
  if ((lines ? CONTROL_CHARACTER_IN_LINES : CONTROL_CHARACTER).test(value) || !value.isWellFormed()) {
    return lines ? 'must not contain control characters other than line breaks' : 'must not contain control characters';
  }
  return isTooLong(value, maxCharacters) ? `must be at most ${maxCharacters} characters` : undefined;
}

interface TextBounds {
  minCharacters: number;
  maxCharacters: number;
  trimmed: boolean;
  /** Whether it may contain line breaks. */
  lines?: boolean;
  /** The cause for a longer text, if it is not field_invalid. */
  tooLong?: Cause | undefined;
}

/**
 * Creates a text schema with one check in place of zod's four. Texts are most of an order, and this takes a third of
 * the time.
 */
function boundedText(bounds: TextBounds) {
  const { minCharacters, maxCharacters, trimmed, lines, tooLong } = bounds;
  return z
    .string()
    .check((payload) => {
      if (trimmed) payload.value = payload.value.trim();
      const message = textFault(payload.value, bounds);
      if (message === undefined) return;
      const cause = tooLong !== undefined && isTooLong(payload.value, maxCharacters) ? tooLong : undefined;
      payload.issues.push({ code: 'custom', message, input: payload.value, ...(cause && { params: { cause } }) });
    })
    .meta({
      maxLength: maxCharacters,
      pattern: lines ? CLEAN_LINES_PATTERN : CLEAN_TEXT_PATTERN,
      ...(minCharacters > 0 && { minLength: minCharacters }),
    });
}

/** A required text: trimmed, not empty, at most 255 characters unless told (rules 4). */
export function text(maxCharacters = MAX_TEXT_CHARACTERS, tooLong?: Cause) {
  return boundedText({ minCharacters: 1, maxCharacters, trimmed: true, tooLong });
}

/** A required text that may hold line breaks: an address, a remark (rules 4). */
export function lines(maxCharacters: number, tooLong?: Cause) {
  return boundedText({ minCharacters: 1, maxCharacters, trimmed: true, lines: true, tooLong });
}

/** A required text that may be empty; null counts as empty: parentMerchandiseNum and parentCrmProductId (rules 4). */
export function textOrEmpty() {
  return boundedText({ minCharacters: 0, maxCharacters: MAX_TEXT_CHARACTERS, trimmed: true })
    .nullable()
    .transform((value) => value ?? '');
}

/** An optional text: absent, null and the empty string are all `undefined` (rules 4). */
export function optionalText() {
  return boundedText({ minCharacters: 0, maxCharacters: MAX_TEXT_CHARACTERS, trimmed: true })
    .nullish()
    .transform((value) => value || undefined);
}

/** Tabs and line breaks, with the blanks around them. */
const CELL_ENDS = /\s*[\t\n\v\f\r]\s*/g;

/** A text to search for. Tabs and line breaks, as between cells of a spreadsheet, count as one blank (rules 4). */
export function searchText() {
  return z
    .string()
    .transform((value) => value.trim().replace(CELL_ENDS, ' '))
    .pipe(text());
}

/** An optional text to search for: absent, null and the empty string are all `undefined`. */
export function optionalSearchText() {
  return optional(searchText());
}

/** An optional text that may hold line breaks. */
export function optionalLines(maxCharacters: number, tooLong?: Cause) {
  return boundedText({ minCharacters: 0, maxCharacters, trimmed: true, lines: true, tooLong })
    .nullish()
    .transform((value) => value || undefined);
}

/** An optional value: null and the empty string count as absent (rules 4). */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (isAbsent(value) ? undefined : value), schema.optional());
}

const isAbsent = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '');

/**
 * A list of at most `max` items. A longer one is refused before its items are checked, because a million faults take
 * memory. `tooLong` is the cause for a longer one, if it is not field_invalid.
 */
export function boundedList<Item extends z.ZodType>(item: Item, max: number, tooLong?: Cause) {
  const message = `must contain at most ${max} elements`;
  return z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= max) return value;
      context.issues.push({ code: 'custom', message, input: value, ...(tooLong && { params: { cause: tooLong } }) });
      return z.NEVER;
    },
    boundedArray(item).max(max, message),
  );
}

const ID_FAULT = 'must be a string of 1 to 19 decimal digits, such as "2001"';

/** An id of a kind, as clients send it: decimal digits, at most 19 (rules 4). Opaque to them. */
export function id<Kind extends string>() {
  return z
    .string(ID_FAULT)
    .trim()
    .min(1, REQUIRED)
    .regex(/^\d{1,19}$/, ID_FAULT)
    .brand<Kind>();
}

/** An optional id: absent, null and the empty string are all `undefined`. */
export function optionalId<Kind extends string>() {
  return z
    .string(ID_FAULT)
    .trim()
    .regex(/^\d{0,19}$/, ID_FAULT)
    .nullish()
    .transform((value) => (value || undefined) as (string & z.$brand<Kind>) | undefined);
}

/** A secret text: never trimmed (rules 4). */
export function secret(maxCharacters = MAX_TEXT_CHARACTERS, tooLong?: Cause) {
  return boundedText({ minCharacters: 1, maxCharacters, trimmed: false, tooLong });
}

const TIME_FAULT = 'must be a number of milliseconds since 1970-01-01 UTC, such as 1798761599000';

/** A time as Long milliseconds since 1970-01-01 UTC (rules 4). */
export const timestamp = () => long(TIME_FAULT);

/** A Long that is a count, a duration or a time (rules 4). */
export function long(typeFault = 'must be a number, such as 12') {
  return z.number(typeFault).int('must be an integer up to 2^53 - 1').min(0, 'must not be negative');
}

/** The least end of a purchase: in seconds, this is the year 5138, and in milliseconds the spring of 1973. */
const MIN_END_DATE = 100_000_000_000;

/**
 * When a purchase ends, in milliseconds since 1970-01-01 UTC. Refuses seconds and days: the license would be over
 * (rules 4).
 */
export function endDate() {
  return timestamp()
    .refine((value) => value < 0 || value >= MIN_END_DATE, {
      params: { cause: 'date_not_milliseconds' satisfies Cause },
      message: 'date_not_milliseconds',
    })
    .meta({ minimum: MIN_END_DATE });
}

/** A time in answers. `event` says of what: "When the batch was accepted". */
export function time(event: string) {
  return long().describe(`${event}. Milliseconds since 1970-01-01 UTC.`);
}

/**
 * A field of answers that is always null in this service. It is published as an object or null, because code generators
 * have no type for null alone.
 */
export function nothing(meaning: string) {
  return z.null().meta({ type: ['object', 'null'], description: meaning });
}

/** A text of answers that is always null in this service. */
export function noText(meaning: string) {
  return z.null().meta({ type: ['string', 'null'], description: meaning });
}

/** The descriptions of the start and the end of a purchase. */
export const PERIOD = {
  start: 'Start: milliseconds since 1970-01-01 UTC. Must not be after the end.',
  end: 'End: milliseconds since 1970-01-01 UTC. The service revokes nothing when it passes.',
};

/** An Integer that is a count: 0 to 2^31 - 1. */
export function integer() {
  return z
    .number('must be a number, such as 12')
    .int('must be an integer')
    .min(0, 'must not be negative')
    .max(MAX_INTEGER, `must be at most ${MAX_INTEGER}`);
}

/** Publishes as a whole number what comes as a text, or may come as one. */
const AS_INTEGER = { type: 'integer', pattern: undefined, anyOf: undefined };

/** A whole number in a query, where everything is text. */
export function queryInteger(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
    .meta({ ...AS_INTEGER, minimum: min, maximum: max });
}

/** A time in a query, as Long milliseconds since 1970-01-01 UTC. */
export function queryTime() {
  return z
    .string()
    .trim()
    .regex(/^\d{1,15}$/, TIME_FAULT)
    .transform(Number)
    .meta({ ...AS_INTEGER, format: 'int64', minimum: 0 });
}

/** A value of a query that counts as absent when it is empty. */
export const emptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

/** 0 or 1. Published as a bounded number, because code generators name the values of an enum of numbers NUMBER_0. */
export function flag() {
  return z.literal([0, 1], 'must be 0 or 1').meta({ type: 'integer', minimum: 0, maximum: 1, enum: undefined });
}

const DATE_FAULT =
  'must be a number of milliseconds since 1970-01-01 UTC, such as 1798761599000, or an ISO 8601 date, such as "2026-12-31"';

/** A date as Long milliseconds or ISO 8601 text (UTC where it names no offset), read as milliseconds (rules 4). */
export function date() {
  const time = { offset: true, local: true };
  const isoText = z.union([z.iso.datetime(time), z.iso.datetime({ ...time, precision: -1 }), z.iso.date()]);
  const isoDate = isoText.transform((value) =>
    Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/.test(value) ? value : `${value}Z`),
  );
  // One type for generated clients. The description says that texts are accepted too.
  return z.union([long(), isoDate.pipe(long())], DATE_FAULT).meta({ ...AS_INTEGER, minimum: 0 });
}
