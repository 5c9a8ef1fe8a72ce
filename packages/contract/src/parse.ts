import { z } from 'zod';
import { MAX_FAULTS } from './bounded-array.ts';
import { type Cause, causes, Refusal } from './causes.ts';
import { REQUIRED } from './scalars.ts';

/** Causes in place of field_missing: for a schema, by field. */
export const emptyCauses = z.registry<Record<string, Cause>>();

/** The result of a check: the value as the schema reads it, or a refusal. */
export type Checked<Value> =
  | { ok: true; value: Value }
  /** `malformed` is set if a value has a wrong JSON type or a name is misspelled, and names the first such fault. */
  | { ok: false; refusal: Refusal; malformed: Refusal | undefined };

/**
 * Checks an input against its schema. A refusal names the path of the first fault, such as
 * `orderList[3].assets[0].assetNos`, and says how many more there are, up to MAX_FAULTS (rules 1). `at` is the path of
 * the input itself, if it is a part of something. `misspelled` are issues that the schema cannot see.
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: PropertyKey[] = [],
  misspelled: readonly z.core.$ZodIssue[] = [],
): Checked<z.output<Schema>> {
  const result = schema.safeParse(input);
  if (result.success && misspelled.length === 0) return { ok: true, value: result.data };
  const issues = [...misspelled, ...(result.error?.issues ?? [])];
  const buildIssueRefusal = (issue: z.core.$ZodIssue) =>
    buildRefusal(issue, {
      path: [...at, ...issue.path],
      others: issues.length - 1,
      empty: isMissing(issue, input) ? (emptyCauses.get(schema)?.[issue.path.join('.')] ?? 'field_missing') : undefined,
    });
  const malformed = issues.find((issue) => issue.path.length === 0 || isMalformed(issue, input));
  return { ok: false, refusal: buildIssueRefusal(issues[0]!), malformed: malformed && buildIssueRefusal(malformed) };
}

/** Checks an input against its schema and returns the value as the schema reads it. Throws the Refusal of `check`. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const checked = check(schema, input);
  if (!checked.ok) throw checked.refusal;
  return checked.value;
}

/**
 * Builds the refusal of an issue that zod found. `empty` is the cause if the value is missing, `others` counts the
 * other issues.
 */
function buildRefusal(
  issue: z.core.$ZodIssue,
  { path, others, empty }: { path: PropertyKey[]; others: number; empty: Cause | undefined },
): Refusal {
  const counted = others < MAX_FAULTS - 1 ? others : `at least ${MAX_FAULTS - 1}`;
  const more = others === 0 ? '' : ` (and ${counted} more ${others === 1 ? 'fault' : 'faults'})`;
  const dotPath = path.length === 0 ? 'body' : z.core.toDotPath(path);
  const params = issue.code === 'custom' ? issue.params : undefined;
  const cause: unknown = params?.cause;
  if (isCause(cause)) return new Refusal(cause, dotPath, more, String(params?.meant ?? ''));
  if (empty !== undefined) return new Refusal(empty, dotPath, more);
  return new Refusal('field_invalid', dotPath, `${describeIssue(issue)}${more}`);
}

/** The messages for values of a wrong type, in the style of the other messages. */
const TYPE_MESSAGES: Record<string, string> = {
  string: 'must be a text',
  number: 'must be a number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

function describeIssue(issue: z.core.$ZodIssue): string {
  return (issue.code === 'invalid_type' && TYPE_MESSAGES[issue.expected]) || issue.message;
}

function isCause(value: unknown): value is Cause {
  return typeof value === 'string' && Object.hasOwn(causes, value);
}

/** Absent, null and the empty string count as missing (rules 4). Blanks do too, except where a value may be blank. */
function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  const value = valueAt(input, issue.path);
  if (typeof value !== 'string') return value === undefined || value === null;
  return value.trim() === '' && (value === '' || issue.code !== 'custom' || issue.message === REQUIRED);
}

/** Whether an issue is the client's: a value has a wrong JSON type, or a name is misspelled. A fraction is still a number. */
function isMalformed(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.code === 'custom' && issue.params?.cause === 'field_misspelled') return true;
  return issue.code === 'invalid_type' && issue.expected !== 'int' && !isMissing(issue, input);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
