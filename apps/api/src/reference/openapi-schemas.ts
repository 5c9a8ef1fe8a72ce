/** The keywords of a JSON schema that are used here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  maximum?: number;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

/**
 * Wraps each reference with other keywords, such as a description, in `allOf`, because @fastify/swagger would drop the
 * keywords. `plainSchema` unwraps it.
 */
export function guardReferences<Json>(json: Json): Json {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(guardReferences) as Json;
  const { $ref, ...beside } = json as { $ref?: unknown };
  if (typeof $ref === 'string' && Object.keys(beside).length > 0) return { ...beside, allOf: [{ $ref }] } as Json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, guardReferences(value)])) as Json;
}

const MAX_INT32 = 2_147_483_647;
const DEFAULT = 'x-default';
/** Marks a reference in an answer to the sent form of a schema. */
const AS_SENT = 'x-as-sent';
const NULL: Schema = { type: 'null' };

/**
 * Rewrites a schema with keywords that all code generators understand alike: integers have a format, nullable values a
 * type with null, constants are enums of one, and objects of answers allow more fields later.
 */
export function plainSchema({ allOf, ...schema }: Schema): Schema {
  if (allOf?.length === 1) return plainSchema({ ...allOf[0], ...schema });
  const { anyOf, oneOf = anyOf, items, properties, additionalProperties, const: value, ...plain } = schema;
  if (value !== undefined) plain.enum = [value];
  // zod omits the default of a schema that transforms its input, such as text to number.
  if (plain[DEFAULT] !== undefined) plain.default = plain[DEFAULT];
  delete plain[DEFAULT];
  if (plain[AS_SENT] === true) plain.$ref += 'Input';
  delete plain[AS_SENT];
  if (plain.type === 'integer') plain.format ??= isInt32(plain) ? 'int32' : 'int64';
  if (items !== undefined) plain.items = plainSchema(items);
  if (properties !== undefined) {
    plain.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, plainSchema(each)]));
  }
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
