import { z } from 'zod';
import { type Cause, cut, formatPath } from '../causes.ts';
import { MAX_FAULTS } from '../containers.ts';
import { operations } from '../operations/index.ts';
import { MAX_IGNORED_FIELDS } from '../orders/preview.ts';
import { type Checked, check } from '../parse.ts';

/** From how many letters of a name one edit, or two, count as a misspelling (rules 4). Queries have short names. */
const ONE_EDIT_LETTERS = 6;
const ONE_EDIT_LETTERS_IN_QUERY = 4;
const TWO_EDITS_LETTERS = 10;

/** Maximum characters of the path of an ignored field, whose name may be as long as the body. */
const MAX_PATH_CHARACTERS = 255;

/** The known field names at a position of a body. */
type Shape =
  | { kind: 'object'; fields: Map<string, Shape | null>; names: readonly string[]; optional: readonly string[] }
  | { kind: 'list'; element: Shape }
  | { kind: 'union'; discriminator: string; options: Map<unknown, Shape> };
type ObjectShape = Shape & { kind: 'object' };

/** Called for each unknown field. `path` is that of the object that contains it, and is only valid during the call. */
type Found = (name: string, object: Record<string, unknown>, shape: ObjectShape, path: PropertyKey[]) => void;

/** The unknown fields of a body: issues for misspelled ones, and the paths of the first others. */
export interface UnknownFields {
  misspelled: z.core.$ZodIssue[];
  ignored: string[];
}

/** Checks a body like `check`, and refuses likely misspellings with field_misspelled (rules 4). */
export function checkBody<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: PropertyKey[] = [],
): Checked<z.output<Schema>> {
  return check(schema, input, at, findUnknownFields(schema, input).misspelled);
}

/**
 * Returns a body as its schema parses it. The body may be absent if no field is required. Throws the Refusal of
 * `checkBody`.
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const checked = checkBody(schema, input ?? (schema.safeParse({}).success ? {} : input));
  if (!checked.ok) throw checked.refusal;
  return checked.value;
}

/**
 * Returns a query as its schema parses it. Throws the Refusal of `check`; field_misspelled also for short names, and
 * field_repeated (rules 4); if the schema is strict, filter_unknown (rules 6.7).
 */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const query = input as Record<string, unknown>;
  const shape = shapeOf(schema) as ObjectShape;
  const isStrict = (schema as unknown as z.ZodObject).def.catchall?._zod.def.type === 'never';
  const issues: z.core.$ZodIssue[] = [];
  const once = Object.entries(query).map(([name, value]): [string, unknown] => {
    const isMisspelled = (known: string) =>
      isVacant(query, known, shape) && isMisspelling(name, known, ONE_EDIT_LETTERS_IN_QUERY);
    const meant = shape.fields.has(name) ? undefined : shape.names.find(isMisspelled);
    if (meant !== undefined) issues.push(issueOf('field_misspelled', [name], meant));
    else if (isStrict && !shape.fields.has(name)) {
      issues.push(issueOf('filter_unknown', [name], findSimilar(name, shape.names), shape.names.join(', ')));
    }
    if (!Array.isArray(value)) return [name, value];
    if (shape.fields.has(name)) issues.push(issueOf('field_repeated', [name]));
    return [name, value[0]];
  });
  // The schema of a strict query would refuse unknown names without a proposal.
  const known = isStrict ? once.filter(([name]) => shape.fields.has(name)) : once;
  const checked = check(schema, Object.fromEntries(known), [], issues.slice(0, MAX_FAULTS));
  if (!checked.ok) throw checked.refusal;
  return checked.value;
}

/** Returns the issue of a fault that schemas cannot find. */
function issueOf(cause: Cause, path: PropertyKey[], ...values: string[]): z.core.$ZodIssue {
  return { code: 'custom', path, message: cause, params: { cause, values } };
}

/** Returns a known name that contains another one or is contained in it; empty if none. */
function findSimilar(name: string, names: readonly string[]): string {
  const given = fold(name);
  return names.find((known) => fold(known).includes(given) || given.includes(fold(known))) ?? '';
}

/** Finds the fields of a body that its schema does not know. The body may be invalid. */
export function findUnknownFields(schema: z.ZodType, input: unknown): UnknownFields {
  const found: UnknownFields = { misspelled: [], ignored: [] };
  const shape = shapeOf(schema);
  if (shape === null) return found;
  visit(input, shape, [], (name, object, of, path) => {
    // Comparing with all names takes seconds for many unknown ones. A body without a required field is refused anyway.
    const names = found.ignored.length < MAX_IGNORED_FIELDS ? of.names : of.optional;
    const meant = names.find((known) => isVacant(object, known, of) && isMeant(name, known, object[name]));
    if (meant === undefined) {
      if (found.ignored.length < MAX_IGNORED_FIELDS)
        found.ignored.push(cut(formatPath([...path, name]), MAX_PATH_CHARACTERS));
    } else if (found.misspelled.length < MAX_FAULTS) {
      found.misspelled.push(issueOf('field_misspelled', [...path, name], meant));
    }
  });
  return found;
}

/** Whether a client likely meant a known field by an unknown one with this value. */
function isMeant(name: string, known: string, value: unknown): boolean {
  return isForeignName(name, known, value) || (isMisspelling(name, known) && !answerNames().has(name));
}

// cspell:ignore licence notafter notbefore validitydate
const OWNERS =
  'limit|license|licence|assets?|product|valid|validity|effective|auth|authorization|usage|use|term|period|active|enabled';
const TIMES = 'date|time|day|at|on|timestamp|ts|ms|millis|dt|utc';
const ENDS =
  'ends?|ended|exp|expiry|expires?|expired|expiration|until|till|thru|through|deadline|stop|finish|notafter|invalid';
const STARTS = 'starts?|started|begins?|beginning|since|notbefore';
/** The names of other interfaces, and of our answers, for an end and a start, as `fold` writes them (rules 4). */
const FOREIGN_NAMES: Readonly<Record<string, RegExp>> = {
  limitEndDate: namesOf(ENDS, 'to', 'validitydate|(?:到期|过期|结束|失效|截止|终止)(?:日期?|时间)?|有效期[至止]?'),
  limitStartDate: namesOf(STARTS, 'from', `effective(?:${TIMES})+|(?:开始|起始|生效|启用)(?:日期?|时间)?`),
};
/** Longer names are never compared, because a body may have two million of them. */
const MAX_FOREIGN_CHARACTERS = 40;

/** `words` are names by themselves; `joint` is one with an owner before it, or a date or time beside it. */
function namesOf(words: string, joint: string, others: string): RegExp {
  const owned = `(?:${OWNERS})*(?:${words})(?:${TIMES})*|(?:${OWNERS})+${joint}(?:${TIMES})*`;
  return new RegExp(`^(?:${owned}|${joint}(?:date|time)|(?:date|time)(?:${joint}|${words})|${others})$`);
}

/** Whether a name means a date of ours in another interface. Other values, such as `expired: false`, are no dates. */
function isForeignName(name: string, known: string, value: unknown): boolean {
  const names = FOREIGN_NAMES[known];
  if (names === undefined || name.length > MAX_FOREIGN_CHARACTERS) return false;
  return (typeof value === 'number' || typeof value === 'string') && names.test(fold(name));
}

/** Whether a field has no value: it is absent, or is optional and null or empty. */
function isVacant(object: Record<string, unknown>, known: string, { optional }: ObjectShape): boolean {
  const value = object[known];
  if (value === undefined || !optional.includes(known)) return value === undefined;
  if (typeof value === 'string') return value.trim() === '';
  return value === null || (Array.isArray(value) && value.length === 0);
}

/**
 * Whether a name is a likely misspelling of a known one: equal except for case, `_`, `-`, `.` and spaces, or within the
 * number of edits that the length of the known name allows. A known name with digits added is a different name.
 */
export function isMisspelling(name: string, known: string, oneEditLetters = ONE_EDIT_LETTERS): boolean {
  // Shorter names are never folded, because a body may have two million of them.
  if (name.length >= known.length && fold(name) === fold(known)) return true;
  if (known.length < oneEditLetters) return false;
  if (!isWithinEdits(name, known, known.length < TWO_EDITS_LETTERS ? 1 : 2)) return false;
  return fold(name.replaceAll(/\d/g, '')) !== fold(known);
}

const fold = (name: string) => name.toLowerCase().replaceAll(/[_. -]/g, '');

/**
 * Whether up to `edits` edits turn one string into another (optimal string alignment). An edit adds, drops or replaces
 * a character or swaps two neighbors; no character is edited twice.
 */
export function isWithinEdits(from: string, to: string, edits: number, fromStart = 0, toStart = 0): boolean {
  if (Math.abs(from.length - fromStart - (to.length - toStart)) > edits) return false;
  let [a, b] = [fromStart, toStart];
  while (a < from.length && from[a] === to[b]) {
    a++;
    b++;
  }
  if (a === from.length && b === to.length) return true;
  if (edits === 0) return false;
  const isSwap = from[a] === to[b + 1] && from[a + 1] === to[b];
  return (
    isWithinEdits(from, to, edits - 1, a + 1, b + 1) ||
    isWithinEdits(from, to, edits - 1, a + 1, b) ||
    isWithinEdits(from, to, edits - 1, a, b + 1) ||
    (isSwap && isWithinEdits(from, to, edits - 1, a + 2, b + 2))
  );
}

/** Calls `found` for each unknown field. It runs for every body, so it allocates nothing else. */
function visit(value: unknown, shape: Shape, path: PropertyKey[], found: Found): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (shape.kind === 'list')) return;
  switch (shape.kind) {
    case 'list': {
      const elements = value as readonly unknown[];
      for (let index = 0; index < elements.length; index++) {
        path.push(index);
        visit(elements[index], shape.element, path, found);
        path.pop();
      }
      return;
    }
    case 'union': {
      const option = shape.options.get((value as Record<string, unknown>)[shape.discriminator]);
      if (option !== undefined) visit(value, option, path, found);
      return;
    }
    case 'object': {
      const object = value as Record<string, unknown>;
      for (const name in object) {
        const inner = shape.fields.get(name);
        if (inner === null) continue;
        if (inner === undefined) {
          found(name, object, shape, path);
          continue;
        }
        path.push(name);
        visit(object[name], inner, path, found);
        path.pop();
      }
    }
  }
}

const objectShapes = new WeakMap<z.core.$ZodType, ObjectShape>();

/** Derives the known field names from a schema. Null if it contains no objects. */
function shapeOf(schema: z.core.$ZodType): Shape | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return shapeOfObject(schema, def.shape);
    case 'array': {
      const element = shapeOf(def.element);
      return element && { kind: 'list', element };
    }
    case 'pipe':
      return shapeOf(def.in) ?? shapeOf(def.out);
    case 'union': {
      const { discriminator } = def as z.core.$ZodDiscriminatedUnionDef;
      if (discriminator === undefined) return null;
      const options = def.options.flatMap((option) => {
        const shape = shapeOf(option);
        const values = option._zod.propValues?.[discriminator] ?? [];
        return shape === null ? [] : [...values].map((value): [unknown, Shape] => [value, shape]);
      });
      return { kind: 'union', discriminator, options: new Map(options) };
    }
    default:
      return 'innerType' in def ? shapeOf(def.innerType) : null;
  }
}

function shapeOfObject(schema: z.core.$ZodType, fields: z.core.$ZodLooseShape): ObjectShape {
  const known = objectShapes.get(schema);
  if (known !== undefined) return known;
  const names = Object.keys(fields);
  const isOptional = (name: string) => z.safeParse(fields[name]!, undefined).success;
  const shape: ObjectShape = { kind: 'object', fields: new Map(), names, optional: names.filter(isOptional) };
  // Before its fields, because merchandise contains merchandise.
  objectShapes.set(schema, shape);
  for (const name of names) shape.fields.set(name, shapeOf(fields[name]!));
  return shape;
}

const namesOfAnswers = new Set<string>();

/**
 * Returns the names of all fields of answers. Clients may send back what they have read. Answers contain orders of all
 * types, so these names include fields of other order types.
 */
function answerNames(): ReadonlySet<string> {
  if (namesOfAnswers.size > 0) return namesOfAnswers;
  z.toJSONSchema(z.union(Object.values(operations).flatMap(({ answers }) => Object.values(answers) as z.ZodType[])), {
    // Without the names of schemas, of which some have several descriptions.
    metadata: z.registry<z.core.GlobalMeta>(),
    unrepresentable: 'any',
    override: ({ jsonSchema: { properties = {} } }) => {
      for (const name of Object.keys(properties)) namesOfAnswers.add(name);
    },
  });
  return namesOfAnswers;
}
