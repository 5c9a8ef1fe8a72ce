import { z } from 'zod';
import { type Cause, causes, Refusal } from './causes.ts';

/**
 * Checks an input against its schema and returns the value as the schema reads it.
 *
 * Throws a Refusal that names the path of the first fault, `orderList[3].assets[0].assetNos`, and says how many more
 * there are (decisions 1).
 */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [first, ...others] = result.error.issues;
  throw refusalOf(first!, others.length, input);
}

/** The refusal of one issue that zod found, with the number of the others. */
function refusalOf(issue: z.core.$ZodIssue, others: number, input: unknown): Refusal {
  const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'fault' : 'faults'})`;
  const path = issue.path.length === 0 ? 'body' : z.core.toDotPath(issue.path);
  const cause = issue.code === 'custom' ? issue.params?.cause : undefined;
  if (isCause(cause)) return new Refusal(cause, path, more);
  if (isMissing(valueAt(input, issue.path))) return new Refusal('field_missing', path, more);
  return new Refusal('field_invalid', path, `${messageOf(issue)}${more}`);
}

/** What a value of the wrong type must be, in the words of the other messages. */
const TYPE_MESSAGES: Record<string, string> = {
  string: 'must be a text',
  number: 'must be a number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

function messageOf(issue: z.core.$ZodIssue): string {
  return (issue.code === 'invalid_type' && TYPE_MESSAGES[issue.expected]) || issue.message;
}

function isCause(value: unknown): value is Cause {
  return typeof value === 'string' && Object.hasOwn(causes, value);
}

/** Absent, null and the empty string all count as missing (decisions 4). */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
