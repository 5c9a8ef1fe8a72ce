import { causes } from '@lockstep/contract/causes';
import { LATEST, MAX_LEAD_DAYS, MAX_LEAD_TIMES, MAX_OVERLAP_HOURS } from '@lockstep/contract/words';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** The options of a list (rules 6.7). */
export interface ListOptions {
  json?: true | undefined;
  limit: number;
  all?: true | undefined;
  csv?: true | undefined;
  ndjson?: true | undefined;
}

/** The option of a command that prints the answer of the API. */
export const JSON_OPTION = ['--json', 'Print the fields of the API as JSON, one object per line'] as const;
/** The default of --limit. */
export const DEFAULT_LIMIT = 50;
/** The highest value of --limit. */
export const MAX_LIMIT = 1_000_000;

/** Adds --limit and --all to a command that lists. */
export function addListOptions(command: Command): Command {
  return command
    .addOption(new Option('--limit <n>', 'List at most this many entries').argParser(parseLimit).default(DEFAULT_LIMIT))
    .addOption(new Option('--all', 'List all entries').conflicts('limit'));
}

/** Adds --csv and --ndjson to a command that lists by one operation. */
export function addExportOptions(command: Command): Command {
  const others = ['json', 'all', 'limit'];
  return command
    .addOption(new Option('--csv', 'Print all entries as CSV for spreadsheets').conflicts([...others, 'ndjson']))
    .addOption(new Option('--ndjson', 'Print all entries as JSON, one per line, in one call').conflicts(others));
}

/** Adds --json and --fail-on-failed to a command that shows the outcome of a batch. */
export function addOutcomeOptions(command: Command): Command {
  return command
    .option('--json', 'Print the outcome of all orders as one JSON object')
    .option('--fail-on-failed', 'Exit with status 2 if an order failed');
}

/** Adds the arguments that name a batch. */
export function addBatchArguments(command: Command): Command {
  return command
    .argument('<channel>', 'channelCode of the batch', parseText)
    .argument('<batch>', 'channelOrderId of the batch', parseText);
}

/** Adds --accepted-from and --accepted-to, or those of what else `happened`. */
export function addPeriodOptions(command: Command, happened = 'accepted'): Command {
  const word = happened[0]!.toUpperCase() + happened.slice(1);
  return command
    .option(
      `--${happened}-from <time>`,
      `${word} at or after this time: 2026-11-22, 2026-11-22T09:00 (local) or 2026-11-22T09:00Z`,
      parseFrom,
    )
    .option(`--${happened}-to <time>`, `${word} at or before this time; a date includes the whole day`, parseTo);
}

/** Parses --limit. Throws InvalidArgumentError. */
export const parseLimit = (value: string) => parseInteger(value, 1, MAX_LIMIT, '.');

/** Parses --overlap-hours. Throws InvalidArgumentError. */
export const parseOverlapHours = (value: string) =>
  parseInteger(value, 0, MAX_OVERLAP_HOURS, '; 0 ends the old secret at once.');

/** Parses --lead-days. Throws InvalidArgumentError. */
export function parseLeadDays(value: string): number[] {
  const days =
    value === 'none' ? [] : value.split(',').map((each) => parseInteger(each.trim(), 1, MAX_LEAD_DAYS, ' each.'));
  if (days.length <= MAX_LEAD_TIMES) return days;
  throw new InvalidArgumentError(`It may name at most ${MAX_LEAD_TIMES} lead times.`);
}

/** Parses an integer. Throws InvalidArgumentError, whose message has this end. */
export function parseInteger(value: string, min: number, max: number, end: string): number {
  const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}${end}`);
}

/** Parses a cause. Throws InvalidArgumentError. */
export function parseCause(value: string): string {
  if (Object.hasOwn(causes, value)) return value;
  throw new InvalidArgumentError('It must be one of the causes at /docs.');
}

function isId(value: string): boolean {
  return /^\d{1,19}$/.test(value);
}

/** Parses an id that the service generated. Throws InvalidArgumentError. */
export function parseId(value: string): string {
  if (isId(value)) return value;
  throw new InvalidArgumentError('It must be 1 to 19 digits.');
}

/** Parses a place in the event feed. Throws InvalidArgumentError. */
export function parseEventId(value: string): string {
  if (value === LATEST || isId(value)) return value;
  throw new InvalidArgumentError(`It must be 1 to 19 digits, or ${LATEST}.`);
}

/** Parses the address of an endpoint. Throws InvalidArgumentError. */
export function parseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === '') return url.href;
  throw new InvalidArgumentError('It must be an http:// or https:// address without a user.');
}

/** Returns a text as the service stores it: trimmed, in Unicode form NFC (rules 4). */
export const normalizeText = (value: string) => value.trim().normalize('NFC');

/**
 * Parses a text, and normalizes it as the service does. Refuses an empty one: an empty filter, from a variable that is
 * not set, would list everything. Throws InvalidArgumentError.
 */
export function parseText(value: string): string {
  const text = normalizeText(value);
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** Parses the name of a file, which must not be blank. Throws InvalidArgumentError. */
export function parseFileName(value: string): string {
  parseText(value);
  return value;
}

/** Collects the values of an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Parses the start of a period to milliseconds since 1970. A date starts at 0:00. Throws InvalidArgumentError. */
export function parseFrom(value: string): string {
  return parseTime(value, '00:00');
}

/** Parses the end of a period, as parseFrom parses its start. A date ends with its last millisecond. */
export function parseTo(value: string): string {
  return parseTime(value, '23:59:59.999');
}

/** Parses milliseconds, or ISO 8601. A time without an offset is local. */
function parseTime(value: string, timeOfDay: string): string {
  if (/^\d{1,15}$/.test(value)) return value;
  const [, day = '', time = timeOfDay, offset = ''] = TIME.exec(value) ?? [];
  const timeMs = isDay(day) ? Date.parse(`${day}T${time}${offset}`.toUpperCase()) : Number.NaN;
  if (timeMs >= 0) return String(timeMs);
  throw new InvalidArgumentError(
    'It must be a date, a time such as 2026-11-22T09:00 or 2026-11-22T09:00Z, or milliseconds since 1970.',
  );
}

/** Whether the calendar has this day. Date.parse alone reads February 30 as March 2. */
function isDay(day: string): boolean {
  const timeMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(day);
}
