import { MAX_OVERLAP_HOURS } from '@lockstep/contract/words';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** What the options of a list say (rules 6.7). */
export interface ListOptions {
  json?: true;
  limit: number;
  all?: true;
}

/** How many entries a list shows where nothing is said. */
export const DEFAULT_LIMIT = 50;
/** The most that --limit takes. */
export const MAX_LIMIT = 1_000_000;

/** Adds --json to a command that prints what the API answered. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'the fields of the API as JSON, one object a line');
}

/** Adds --json, --limit and --all to a command that lists. */
export function addListOptions(command: Command): Command {
  return addJsonOption(command)
    .addOption(new Option('--limit <n>', 'how many in all').argParser(parseLimit).default(DEFAULT_LIMIT))
    .addOption(new Option('--all', 'all of them').conflicts('limit'));
}

/** Adds the options of the commands that show the outcome of a batch. */
export function addOutcomeOptions(command: Command): Command {
  return command
    .option('--json', 'show the outcome as JSON, with all orders, and all else on standard error')
    .option('--fail-on-failed', 'end with status 2 if an order failed');
}

/** Adds the arguments that name a batch. */
export function addBatchArguments(command: Command): Command {
  return command
    .argument('<channel>', 'its channelCode', parseText)
    .argument('<batch>', 'its channelOrderId', parseText);
}

/** Adds --accepted-from and --accepted-to. */
export function addPeriodOptions(command: Command): Command {
  return command
    .option('--accepted-from <time>', 'accepted at this time or later: 2026-11-22, 2026-11-22T09:00 or ms', parseFrom)
    .option('--accepted-to <time>', 'accepted at this time or before; a day counts to its end', parseTo);
}

/** Reads how many entries to list in all. Throws an InvalidArgumentError. */
export function parseLimit(value: string): number {
  const limit = /^\d{1,7}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}

/** Reads an id of the service: digits. Throws an InvalidArgumentError. */
export function parseId(value: string): string {
  if (/^\d{1,19}$/.test(value)) return value;
  throw new InvalidArgumentError('It must be 1 to 19 digits.');
}

/**
 * Reads a text as the service does, without blanks around it. It must not be empty: an empty filter, of a variable that
 * was not set, would list everything. Throws an InvalidArgumentError.
 */
export function parseText(value: string): string {
  const text = value.trim();
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** Reads the name of a file, which must not be empty. Throws an InvalidArgumentError. */
export function parseFileName(value: string): string {
  parseText(value);
  return value;
}

/** Reads how many hours the old secret stays valid. Throws an InvalidArgumentError. */
export function parseOverlapHours(value: string): number {
  const hours = /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN;
  if (hours <= MAX_OVERLAP_HOURS) return hours;
  throw new InvalidArgumentError(
    `It must be a whole number of hours from 0 to ${MAX_OVERLAP_HOURS}; 0 ends the old secret at once.`,
  );
}

/** Reads an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Creates a reader of one of the words of a table. It throws an InvalidArgumentError. */
export function parseWord<Word extends string>(words: Record<Word, unknown>, where: string): (value: string) => Word {
  return (value) => {
    if (Object.hasOwn(words, value)) return value as Word;
    throw new InvalidArgumentError(`It must be one of ${where}.`);
  };
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Reads the begin of a period as milliseconds since 1970. A day begins at 0:00. Throws an InvalidArgumentError. */
export function parseFrom(value: string): string {
  return parseTime(value, '00:00');
}

/** Reads the end of a period as milliseconds since 1970. A day ends with its last millisecond. Throws as parseFrom. */
export function parseTo(value: string): string {
  return parseTime(value, '23:59:59.999');
}

/** Milliseconds, or ISO 8601; without an offset it is local time, as tables show it. */
function parseTime(value: string, timeOfDay: string): string {
  if (/^\d{1,15}$/.test(value)) return value;
  const [, day = '', time = timeOfDay, offset = ''] = TIME.exec(value) ?? [];
  const timeMs = isDay(day) ? Date.parse(`${day}T${time}${offset}`.toUpperCase()) : Number.NaN;
  if (timeMs >= 0) return String(timeMs);
  throw new InvalidArgumentError('It must be a time such as 2026-11-22T09:00, a day, or milliseconds since 1970.');
}

/** Whether the calendar has this day: Date.parse alone takes February 30 for March 2. */
function isDay(day: string): boolean {
  const timeMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(day);
}
