import { z } from 'zod';
import type { Cause } from './causes.ts';
import { boundedArray } from './containers.ts';
import { fault } from './templates.ts';

/** Characters that a string must not contain (rules 4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
const CLEAN_TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
/** Characters that a string with line breaks must not contain (rules 4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const CONTROL_CHARACTER_IN_LINES = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const CLEAN_LINES_PATTERN = '^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$';

/** The message for a missing string. */
export const REQUIRED = fault('required');

const MAX_TEXT_CHARACTERS = 255;
/** Maximum characters of an address (rules 4). */
export const MAX_ADDRESS_CHARACTERS = 512;
const MAX_INTEGER = 2_147_483_647;

/** Whether a string has too many characters, where a surrogate pair counts as one. */
function isTooLong(value: string, maxCharacters: number): boolean {
  if (value.length <= maxCharacters || value.length > 2 * maxCharacters) return value.length > maxCharacters;
  const pairs = value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return value.length - pairs > maxCharacters;
}

/** Text that needs no normalization and has no unusual characters, as most has. */
const PLAIN_TEXT = /^[ -~]*$/;
/** Text without a visible character: spaces, format and filling characters, and marks of direction. */
const INVISIBLE_TEXT = /^[\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\s]+$/u;

/**
 * What a string is. A `text` is trimmed and must be visible. A `text` and a `password` are composed (Unicode form NFC),
 * so that strings that look the same are equal. A `secret` stays as it was sent (rules 4).
 */
type Form = 'text' | 'password' | 'secret';

function normalize(value: string, form: Form): string {
  if (form === 'secret') return value;
  const read = form === 'text' ? value.trim() : value;
  return PLAIN_TEXT.test(read) ? read : read.normalize('NFC');
}

/** Returns what is wrong with a string, if anything. Refuses a lone surrogate, because UTF-8 cannot encode it. */
function textFault(value: string, { minCharacters, maxCharacters, form, lines }: TextBounds): string | undefined {
  if (value.length < minCharacters) return REQUIRED;
  if (!PLAIN_TEXT.test(value)) {
    if ((lines ? CONTROL_CHARACTER_IN_LINES : CONTROL_CHARACTER).test(value) || !value.isWellFormed()) {
      return fault(lines ? 'control_characters_in_lines' : 'control_characters');
    }
    if (form === 'text' && INVISIBLE_TEXT.test(value)) return fault('invisible_text');
  }
  return isTooLong(value, maxCharacters) ? fault('too_long', maxCharacters) : undefined;
}

interface TextBounds {
  minCharacters: number;
  maxCharacters: number;
  form: Form;
  /** Whether it may contain line breaks. */
  lines?: boolean;
  /** The cause for a longer string, if not field_invalid. */
  tooLong?: Cause | undefined;
  /** Changes the normalized string. */
  fold?: (value: string) => string;
  /** Returns what else is wrong with a string, if anything. */
  findFault?: (value: string) => string | undefined;
}

/** Creates a string schema with one check instead of zod's four, which takes a third of the time. */
function boundedText(bounds: TextBounds) {
  const { minCharacters, maxCharacters, form, lines, tooLong, fold, findFault } = bounds;
  return z
    .string()
    .check((payload) => {
      const read = normalize(payload.value, form);
      payload.value = fold ? fold(read) : read;
      const message = textFault(payload.value, bounds) ?? findFault?.(payload.value);
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

/** A required string: normalized, not empty, at most 255 characters by default (rules 4). */
export function text(maxCharacters = MAX_TEXT_CHARACTERS, tooLong?: Cause) {
  return boundedText({ minCharacters: 1, maxCharacters, form: 'text', tooLong });
}

/** A required string that may contain line breaks, such as an address or a remark (rules 4). */
export function lines(maxCharacters: number, tooLong?: Cause) {
  return boundedText({ minCharacters: 1, maxCharacters, form: 'text', lines: true, tooLong });
}

/** A required string that may be empty or null: parentMerchandiseNum and parentCrmProductId (rules 4). */
export function textOrEmpty() {
  return boundedText({ minCharacters: 0, maxCharacters: MAX_TEXT_CHARACTERS, form: 'text' })
    .nullable()
    .transform((value) => value ?? '');
}

/** An optional string: absent, null and the empty string are all `undefined` (rules 4). */
export function optionalText(bounds: Partial<TextBounds> = {}) {
  return boundedText({ minCharacters: 0, maxCharacters: MAX_TEXT_CHARACTERS, form: 'text', ...bounds })
    .nullish()
    .transform((value) => value || undefined);
}

/** An optional string that may contain line breaks. */
export function optionalLines(maxCharacters: number, tooLong?: Cause) {
  return optionalText({ maxCharacters, lines: true, tooLong });
}

/** Tabs and line breaks, with the spaces around them. */
const CELL_ENDS = /\s*[\t\n\v\f\r]\s*/g;

/** A search text. Tabs and line breaks, as between cells of a spreadsheet, count as one space (rules 4). */
export function searchText() {
  return z
    .string()
    .transform((value) => value.trim().replace(CELL_ENDS, ' '))
    .pipe(text());
}

/** An optional value: null and the empty string count as absent (rules 4). */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (isAbsent(value) ? undefined : value), schema.optional());
}

const isAbsent = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '');

/**
 * A list of at most `max` items. A longer list is refused before its items are checked, because a million faults would
 * take too much memory. `tooLong` is the cause for it, if not field_invalid.
 */
export function boundedList<Item extends z.ZodType>(item: Item, max: number, tooLong?: Cause) {
  const message = fault('too_many', max);
  return z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= max) return value;
      context.issues.push({ code: 'custom', message, input: value, ...(tooLong && { params: { cause: tooLong } }) });
      return z.NEVER;
    },
    boundedArray(item).max(max, message),
  );
}

/**
 * The ids of the service, each with a type of its own so that they cannot be confused. Strings of decimal digits (rules
 * 4). `id` and `optionalId` parse those of clients; the types of the tables give those of the database.
 */
export const CustomerId = z.string().brand<'CustomerId'>();
export type CustomerId = z.infer<typeof CustomerId>;
export const EnterpriseId = z.string().brand<'EnterpriseId'>();
export type EnterpriseId = z.infer<typeof EnterpriseId>;
export const MemberId = z.string().brand<'MemberId'>();
export type MemberId = z.infer<typeof MemberId>;
export const AssetId = z.string().brand<'AssetId'>();
export type AssetId = z.infer<typeof AssetId>;
export const LicenseOrderId = z.string().brand<'LicenseOrderId'>();
export type LicenseOrderId = z.infer<typeof LicenseOrderId>;
export type EventId = string & z.$brand<'EventId'>;
export type WebhookId = string & z.$brand<'WebhookId'>;
/** The id of a batch. Clients know only its channelCode and channelOrderId. */
export type BatchId = string & z.$brand<'BatchId'>;
/** The id of an application. Clients know only its appKey. */
export type ApplicationId = string & z.$brand<'ApplicationId'>;

const ID_FAULT = fault('id');

/** An id as clients send it: 1 to 19 decimal digits (rules 4). Opaque to clients. */
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

/** Ids in a query, separated by commas: at most as many as a list shows on a page. */
export function optionalIds<Kind extends string>() {
  const ids = z.string(ID_FAULT).regex(/^\d{1,19}(,\d{1,19}){0,199}$/, ID_FAULT);
  return emptyAsAbsent(ids.transform((text) => text.split(',') as (string & z.$brand<Kind>)[]).optional());
}

/** Characters that are invisible in an asset number, or have no meaning. */
const INVISIBLE = /[\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** An asset number: a text without invisible characters, full-width characters and spaces are folded (rules 4). */
export function assetNumber() {
  return boundedText({
    minCharacters: 1,
    maxCharacters: MAX_TEXT_CHARACTERS,
    form: 'text',
    fold: (value) => (PLAIN_TEXT.test(value) ? value : foldWidth(value)),
    findFault: assetNumberFault,
  });
}

function foldWidth(value: string): string {
  return value
    .replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/\p{Zs}/gu, ' ');
}

/** The forms that a spreadsheet gives to a number, each with a function that returns the number. */
const SPREADSHEET_FORMS: readonly (readonly [form: RegExp, undo: (value: string) => string])[] = [
  // 8.1E+09, which may have lost digits
  [/^\d+([.,]\d+E\+?|E\+)\d+$/i, (value) => writeOut(Number(value.replace(',', '.')))],
  // 8,100,000,001.00 and 8.100.000.001,00; 8.100.000.001 may be a serial number
  [
    /^[1-9]\d{0,2}(([,'’ ])\d{3}(\2\d{3})+([.,]\d\d?)?|\.\d{3}(\.\d{3})+,\d\d?)$/,
    (value) => value.replace(/[.,]\d\d?$/, '').replace(/\D/g, ''),
  ],
  // 8100000001.0; 100,000 may be either
  [/^\d+[.,]0*$/, (value) => (/[.,]000$/.test(value) ? ALL_DIGITS : value.replace(/\D.*/, ''))],
  // 08100000001, a number of O9
  [/^0+[68]\d{9}$/, (value) => value.replace(/^0+/, '')],
  // '8100000001 or ="8100000001"
  [/^['="]+\d+['"]*$/, (value) => value.replace(/\D/g, '')],
];

const ALL_DIGITS = 'all';
const writeOut = (value: number) => (Number.isSafeInteger(value) ? String(value) : ALL_DIGITS);

function assetNumberFault(value: string): string | undefined {
  const [invisible] = INVISIBLE.exec(value) ?? [];
  if (invisible !== undefined) {
    const code = invisible.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return fault('invisible_character', `U+${code}`);
  }
  const [, undo] = SPREADSHEET_FORMS.find(([form]) => form.test(value)) ?? [];
  return undo && fault('spreadsheet', undo(value));
}

/** A mobile number of mainland China, or any in E.164 (rules 8). */
const MOBILE = /^(1[3-9]\d{9}|\+[1-9]\d{1,14})$/;

/** A security mobile number. The country code of mainland China is dropped (rules 8). The empty string is valid. */
export function mobile() {
  return z
    .string()
    .trim()
    .overwrite((value) => value.replace(/^\+86(?=1[3-9]\d{9}$)/, ''))
    .refine((value) => value === '' || MOBILE.test(value), {
      params: { cause: 'mobile_invalid' satisfies Cause },
      message: 'mobile_invalid',
    })
    .meta({
      pattern: MOBILE.source,
      description:
        'Security mobile number: 11 digits that start with 13 to 19, or + and up to 15 digits. It cannot be used to log in.',
    });
}

/** A secret string, which stays as it was sent (rules 4). */
export function secret() {
  return boundedText({ minCharacters: 1, maxCharacters: MAX_TEXT_CHARACTERS, form: 'secret' });
}

/** A password for a login. It is not trimmed, and its characters are counted as they are hashed (rules 4). */
export function loginPassword(maxCharacters: number, tooLong: Cause) {
  return boundedText({ minCharacters: 1, maxCharacters, form: 'password', tooLong });
}

const TIME_FAULT = fault('time');
/** The latest time that clients can send: the end of the year 9999 (rules 4). */
export const MAX_TIME = Date.UTC(10_000, 0) - 1;
/** The refusal of a time that is probably not in milliseconds. */
const NOT_MILLISECONDS = {
  params: { cause: 'date_not_milliseconds' satisfies Cause },
  message: 'date_not_milliseconds',
  abort: true,
};
const isBeforeEnd = (timeMs: number) => timeMs <= MAX_TIME;

/** A time in milliseconds since 1970-01-01 UTC, up to MAX_TIME (rules 4). */
export function timestamp() {
  return z
    .number(TIME_FAULT)
    .refine(isBeforeEnd, NOT_MILLISECONDS)
    .int(fault('integer'))
    .min(0, fault('negative'))
    .meta({ maximum: MAX_TIME });
}

/** A Long: a count or duration (rules 4). */
export function long() {
  return z.number(fault('number')).int(fault('integer_to', '2^53 - 1')).min(0, fault('negative'));
}

/** The earliest time where seconds are a likely slip: 1973 in milliseconds, but the year 5138 in seconds. */
const MIN_TIME = 100_000_000_000;
const isAfterStart = (timeMs: number) => timeMs < 0 || timeMs >= MIN_TIME;

/** A time like `timestamp`, such as the end of a purchase. Refuses values in seconds or days (rules 4). */
export function recentTime() {
  return timestamp().refine(isAfterStart, NOT_MILLISECONDS).meta({ minimum: MIN_TIME, maximum: MAX_TIME });
}

/** A time in answers. `event` describes it, such as "When the batch was accepted". */
export function time(event: string) {
  return long().describe(`${event}. Milliseconds since 1970-01-01 UTC.`);
}

/** A field of answers that is always null. Published as object or null, because code generators need a type. */
export function nothing(meaning: string) {
  return z.null().meta({ type: ['object', 'null'], description: meaning });
}

/** A string of answers that may be null. */
export function textOrNull(meaning: string) {
  return z.string().nullable().describe(meaning);
}

/** A string of answers that is always null. */
export function noText(meaning: string) {
  return z.null().meta({ type: ['string', 'null'], description: meaning });
}

/** An Integer: 0 to 2^31 - 1. */
export function integer() {
  return z
    .number(fault('number'))
    .int(fault('integer'))
    .min(0, fault('negative'))
    .max(MAX_INTEGER, fault('at_most', MAX_INTEGER));
}

/** Publishes as an integer what clients send as a string, or may send as one. */
const AS_INTEGER = { type: 'integer', pattern: undefined, anyOf: undefined };

/** An integer in a query, where every value is a string. */
export function queryInteger(min: number, max: number) {
  const message = fault('integer_between', min, max);
  return z
    .string()
    .trim()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
    .meta({ ...AS_INTEGER, minimum: min, maximum: max });
}

/** A number in a query that may be absent or empty, such as how many entries to return. `meaning` describes it. */
export function queryIntegerOr(byDefault: number, min: number, max: number, meaning: string) {
  return emptyAsAbsent(queryInteger(min, max).default(byDefault)).meta({
    'x-default': byDefault,
    description: `${meaning}: ${min} to ${max}.`,
  });
}

/** A time in a query, like `recentTime`. */
export function queryTime() {
  return z
    .string()
    .trim()
    .regex(/^\d{1,16}$/, TIME_FAULT)
    .transform(Number)
    .refine(isBeforeEnd, NOT_MILLISECONDS)
    .refine(isAfterStart, NOT_MILLISECONDS)
    .meta({ ...AS_INTEGER, format: 'int64', minimum: MIN_TIME, maximum: MAX_TIME });
}

/** A query parameter that counts as absent if it is empty. */
export const emptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

/** 0 or 1. Published as a bounded integer, because code generators name values of a numeric enum NUMBER_0. */
export function flag() {
  return z.literal([0, 1], fault('one_of', '0, 1')).meta({ type: 'integer', minimum: 0, maximum: 1, enum: undefined });
}

const DATE_FAULT = fault('date');

/** A date in milliseconds or ISO 8601 (UTC unless it has an offset), parsed to milliseconds (rules 4). */
export function date() {
  const time = { offset: true, local: true };
  const isoText = z.union([z.iso.datetime(time), z.iso.datetime({ ...time, precision: -1 }), z.iso.date()]);
  const isoDate = isoText.transform((value) =>
    Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/.test(value) ? value : `${value}Z`),
  );
  // Generated clients get one type. The description says that ISO 8601 is accepted too.
  return z
    .union([z.number(), isoDate], DATE_FAULT)
    .refine(isBeforeEnd, NOT_MILLISECONDS)
    .refine((value) => Number.isInteger(value) && value >= 0, DATE_FAULT)
    .meta({ ...AS_INTEGER, minimum: 0, maximum: MAX_TIME });
}
