import { z } from 'zod';
import { MAX_FAULTS } from './bounded-array.ts';
import { type Cause, causes, Refusal } from './causes.ts';
import { REQUIRED } from './scalars.ts';

/** The fields of a schema whose being empty has a cause of its own, in place of field_missing. */
export const emptyCauses = z.registry<Record<string, Cause>>();

/** What a check finds: the value as the schema reads it, or what it is refused for. */
export type Checked<Value> =
  | { ok: true; value: Value }
  /** `malformed` is there where something is not even of the schema's types, and names the first such fault. */
  | { ok: false; refusal: Refusal; malformed: Refusal | undefined };

/**
 * Checks an input against its schema. A refusal names the path of the first fault, `orderList[3].assets[0].assetNos`
 * (below `at`, where the input is a part of something), and says how many more there are, up to MAX_FAULTS (decisions 1).
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: PropertyKey[] = [],
): Checked<z.output<Schema>> {
  const result = schema.safeParse(input);
  if (result.success) return { ok: true, value: result.data };
  const { issues } = result.error;
  const refusalOfIssue = (issue: z.core.$ZodIssue) =>
    buildRefusal(issue, {
      path: [...at, ...issue.path],
      others: issues.length - 1,
      empty: isMissing(issue, input) ? (emptyCauses.get(schema)?.[issue.path.join('.')] ?? 'field_missing') : undefined,
    });
  const malformed = issues.find((issue) => issue.path.length === 0 || isOfWrongType(issue, input));
  return { ok: false, refusal: refusalOfIssue(issues[0]!), malformed: malformed && refusalOfIssue(malformed) };
}

/** Checks an input against its schema and returns the value as the schema reads it. Throws the Refusal of `check`. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const checked = check(schema, input);
  if (!checked.ok) throw checked.refusal;
  return checked.value;
}

/** The refusal of one issue that zod found; `empty` is the cause where there is no value, `others` counts the rest. */
function buildRefusal(
  issue: z.core.$ZodIssue,
  { path, others, empty }: { path: PropertyKey[]; others: number; empty: Cause | undefined },
): Refusal {
  const counted = others < MAX_FAULTS - 1 ? others : `at least ${MAX_FAULTS - 1}`;
  const more = others === 0 ? '' : ` (and ${counted} more ${others === 1 ? 'fault' : 'faults'})`;
  const dotPath = path.length === 0 ? 'body' : z.core.toDotPath(path);
  const cause = issue.code === 'custom' ? issue.params?.cause : undefined;
  if (isCause(cause)) return new Refusal(cause, dotPath, more);
  if (empty !== undefined) return new Refusal(empty, dotPath, more);
  return new Refusal('field_invalid', dotPath, `${describeIssue(issue)}${more}`);
}

/** What a value of the wrong type must be, in the words of the other messages. */
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

/** Absent, null and the empty string all count as missing (decisions 4), blanks too, but where they may stand. */
function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  const value = valueAt(input, issue.path);
  if (typeof value !== 'string') return value === undefined || value === null;
  return value.trim() === '' && (value === '' || issue.code !== 'custom' || issue.message === REQUIRED);
}

/** Whether an issue says that a value is of another type altogether; a fraction is a number all the same. */
function isOfWrongType(issue: z.core.$ZodIssue, input: unknown): boolean {
  return issue.code === 'invalid_type' && issue.expected !== 'int' && !isMissing(issue, input);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
