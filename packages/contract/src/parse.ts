import { z } from 'zod';
import { type Cause, causes, cut, faultAt, formatPath, MAX_QUOTED_CHARACTERS, Refusal } from './causes.ts';
import { MAX_FAULTS } from './containers.ts';
import { REQUIRED } from './scalars.ts';
import { english } from './templates.ts';

/** For a schema, the causes that replace field_missing, by field. */
export const emptyCauses = z.registry<Record<string, Cause>>();

/** The result of a check: the parsed value, or a refusal. */
export type Checked<Value> =
  | { ok: true; value: Value }
  /** `malformed` is the refusal for the first wrong JSON type or misspelled name, if there is one. */
  | { ok: false; refusal: Refusal; malformed: Refusal | undefined };

/** Maximum faults that a refusal lists. */
export const MAX_LISTED_FAULTS = 20;

/**
 * Checks an input against its schema. The message of a refusal starts with the path of the first fault, such as
 * `orderList[3].assets[0].assetNos`, and counts the others, up to MAX_FAULTS; `faults` lists the first
 * MAX_LISTED_FAULTS (rules 1). `at` is the path of the input, if it is part of a larger one. `found` are issues that
 * the schema cannot find.
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: PropertyKey[] = [],
  found: readonly z.core.$ZodIssue[] = [],
): Checked<z.output<Schema>> {
  const result = schema.safeParse(input);
  if (result.success && found.length === 0) return { ok: true, value: result.data };
  const issues = [...found, ...(result.error?.issues ?? [])];
  const causeOf = (issue: z.core.$ZodIssue) =>
    causeIn(issue) ??
    (isMissing(issue, input) ? (emptyCauses.get(schema)?.[issue.path.join('.')] ?? 'field_missing') : 'field_invalid');
  const faultOf = (issue: z.core.$ZodIssue) =>
    faultAt(pathOf(at, issue), causeOf(issue), ...valuesOf(issue, causeOf(issue)));
  const refuse = (first: z.core.$ZodIssue) => {
    const faults = [first, ...issues.filter((issue) => issue !== first)].slice(0, MAX_LISTED_FAULTS).map(faultOf);
    const refusal = new Refusal(faults[0]!.cause, ...faults[0]!.args);
    refusal.message += countOthers(issues.length - 1);
    refusal.faults = faults;
    return refusal;
  };
  const malformed = issues.find((issue) => issue.path.length === 0 || isMalformed(issue, input));
  return { ok: false, refusal: refuse(issues[0]!), malformed: malformed && refuse(malformed) };
}

/** Returns an input as its schema parses it. Throws the Refusal of `check`. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const checked = check(schema, input);
  if (!checked.ok) throw checked.refusal;
  return checked.value;
}

function pathOf(at: readonly PropertyKey[], { path }: z.core.$ZodIssue): string {
  // The name of a misspelled field may be as long as the body.
  return at.length + path.length === 0 ? 'body' : cut(formatPath([...at, ...path]), MAX_QUOTED_CHARACTERS);
}

function countOthers(others: number): string {
  const counted = others < MAX_FAULTS - 1 ? others : `at least ${MAX_FAULTS - 1}`;
  return others === 0 ? '' : ` (and ${counted} more ${others === 1 ? 'fault' : 'faults'})`;
}

/** Returns the values in the message of an issue after its path. */
function valuesOf(issue: z.core.$ZodIssue, cause: Cause): string[] {
  if (cause === 'field_invalid') return readFault(issue);
  return issue.code === 'custom' && Array.isArray(issue.params?.values) ? (issue.params.values as string[]) : [];
}

/** Returns the cause that the schema assigns to an issue, if any. */
function causeIn(issue: z.core.$ZodIssue): Cause | undefined {
  const cause: unknown = issue.code === 'custom' ? issue.params?.cause : undefined;
  return typeof cause === 'string' && Object.hasOwn(causes, cause) ? (cause as Cause) : undefined;
}

/** Returns what is wrong with a field: the word and its values. zod's own messages are no words. */
function readFault(issue: z.core.$ZodIssue): string[] {
  if (issue.message.startsWith('["')) return JSON.parse(issue.message) as string[];
  const isOfType = issue.code === 'invalid_type' && Object.hasOwn(english.fault, issue.expected);
  return [isOfType ? issue.expected : issue.message];
}

/** Whether a value is missing: absent, null or empty (rules 4), or blank where blanks are not allowed. */
function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  const value = valueAt(input, issue.path);
  if (typeof value !== 'string') return value === undefined || value === null;
  return value.trim() === '' && (value === '' || issue.code !== 'custom' || issue.message === REQUIRED);
}

/** Whether a value has the wrong JSON type or a name is misspelled. A fraction has the right type: it is a number. */
function isMalformed(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.code === 'custom' && issue.params?.cause === 'field_misspelled') return true;
  return issue.code === 'invalid_type' && issue.expected !== 'int' && !isMissing(issue, input);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
