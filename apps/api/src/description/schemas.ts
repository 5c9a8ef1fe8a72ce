import { z } from 'zod';

/** The keywords of a JSON schema that are used here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  maximum?: number;
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

const MAX_INT32 = 2_147_483_647;
const DEFAULT = 'x-default';
const NULL: Schema = { type: 'null' };

/**
 * Describes zod schemas as JSON schemas. Returns those of `parts`, and those with a name, to which all others refer.
 * Every schema is described as clients send it, because answers have no other form.
 */
export function describeSchemas(parts: Record<string, z.ZodType>) {
  const whole = z.toJSONSchema(z.object(parts), { io: 'input', unrepresentable: 'any' });
  const { $defs: named = {}, properties = {} } = JSON.parse(
    JSON.stringify(whole).replaceAll('"#/$defs/', `"${COMPONENTS}`),
  ) as { $defs?: Record<string, Schema>; properties?: Record<string, Schema> };
  return { parts: plainSchemas(properties), named: plainSchemas(named) };
}

const COMPONENTS = '#/components/schemas/';

/** Returns a reference to a named schema. */
export const referenceTo = (name: string) => ({ $ref: `${COMPONENTS}${name}` });

const plainSchemas = (schemas: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plainSchema(schema)]));

/**
 * Rewrites a schema with keywords that all code generators understand alike: integers have a format, nullable values a
 * type with null, constants are enums of one, and objects allow more fields later.
 */
function plainSchema({ id: _, ...schema }: Schema): Schema {
  const { anyOf, oneOf = anyOf, items, properties, additionalProperties, const: value, ...plain } = schema;
  if (value !== undefined) plain.enum = [value];
  // zod omits the default of a schema that transforms its input, such as text to number.
  if (plain[DEFAULT] !== undefined) plain.default = plain[DEFAULT];
  delete plain[DEFAULT];
  if (plain.type === 'integer') plain.format ??= isInt32(plain) ? 'int32' : 'int64';
  if (items !== undefined) plain.items = plainSchema(items);
  if (properties !== undefined) plain.properties = plainSchemas(properties);
  if (typeof additionalProperties === 'object') plain.additionalProperties = plainSchema(additionalProperties);
  return oneOf === undefined ? plain : { ...choice(oneOf.map(plainSchema)), ...plain };
}

/** Whether 32 bits are enough. Listed numbers are small. */
function isInt32({ maximum, enum: values }: Schema): boolean {
  return values !== undefined || (maximum !== undefined && maximum <= MAX_INT32);
}

/** Builds a choice of schemas. A choice of one schema and null becomes that schema with null in its type. */
function choice(branches: Schema[]): Schema {
  const [only, ...others] = branches.filter(({ type }) => type !== 'null');
  if (only === undefined || others.length > 0 || branches.length === 1) return { oneOf: branches };
  if (typeof only.type !== 'string') return { oneOf: [only, NULL] };
  return { ...only, type: [only.type, 'null'], ...(only.enum && { enum: [...only.enum, null] }) };
}
