import { isDeepStrictEqual } from 'node:util';
import { type ApiDocument, listOperations } from './openapi-document.ts';
import { plainSchema, type Schema } from './openapi-schemas.ts';

type Schemas = Record<string, Schema>;

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;
const referenceTo = (name: string) => `#/components/schemas/${name}`;

/**
 * Simplifies the schemas of an OpenAPI document. The generator describes each schema twice, as sent (`OrderInput`) and
 * as answered (`Order`). Removes schemas that no operation uses. If both forms are equal, or only one is used, keeps
 * one with the plain name. Names inline schemas of operations after the operation.
 */
export function tidyComponents<Api extends ApiDocument>(document: Api): Api {
  const tidied = structuredClone(document);
  const all = (tidied.components?.schemas ?? {}) as Schemas;
  const schemas: Schemas = Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, plainSchema(schema)]));
  nameInlineSchemas(tidied, schemas);
  const used = reachable(schemas, tidied.paths);
  const kept: Schemas = {};
  const plainNames = new Map<string, string>();
  for (const name of [...used].sort()) {
    const plain = name.replace(/Input$/, '');
    const isApart = plain !== name && used.has(plain) && !isSame(schemas[name], schemas[plain]);
    plainNames.set(name, isApart ? name : plain);
    kept[plainNames.get(name)!] = addDescriptions(addDiscriminator(schemas[name]!, schemas), schemas);
  }
  const renamed = JSON.stringify({ ...tidied, components: { ...tidied.components, schemas: kept } }).replace(
    REFERENCE,
    (_, name: string) => `"${referenceTo(plainNames.get(name) ?? name)}"`,
  );
  return JSON.parse(renamed) as Api;
}

/** Names inline schemas of bodies and answers after their operation: BindCustomerAnswer. */
function nameInlineSchemas(document: ApiDocument, schemas: Schemas): void {
  for (const { operation } of listOperations(document)) {
    const { operationId = '', parameters = [], requestBody, responses = {} } = operation;
    for (const parameter of parameters) parameter.schema = plainSchema(parameter.schema ?? {});
    const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
    const parts = Object.entries(responses).map(([status, answer]) => {
      return [`${name}${status === '200' ? '' : status}Answer`, answer] as const;
    });
    for (const [part, { content = {} } = {}] of [[`${name}Request`, requestBody] as const, ...parts]) {
      for (const media of Object.values(content)) {
        const { $ref = referenceTo(part), ...schema } = plainSchema(media.schema ?? {});
        if ($ref === referenceTo(part)) schemas[part] = schema;
        media.schema = { $ref };
      }
    }
  }
}

/** Whether two schemas are equal, ignoring which form of other schemas they refer to. */
function isSame(one: unknown, other: unknown): boolean {
  const withPlainNames = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema).replace(REFERENCE, (_, name: string) => `"${name.replace(/Input$/, '')}"`));
  return isDeepStrictEqual(withPlainNames(one), withPlainNames(other));
}

function reachable(schemas: Schemas, from: unknown, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(from ?? null).matchAll(REFERENCE)) {
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    reachable(schemas, schemas[name], found);
  }
  return found;
}

/** Gives each field without a description that of its schema. */
function addDescriptions(schema: Schema, schemas: Schemas): Schema {
  if (schema.properties === undefined) return schema;
  const fields = Object.entries(schema.properties).map(([name, field]): [string, Schema] => {
    const description = field.description ?? schemas[field.$ref?.slice(referenceTo('').length) ?? '']?.description;
    return [name, description === undefined ? field : { ...field, description }];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** Adds the discriminator of a choice: the field that has a different fixed value in each schema. */
function addDiscriminator(schema: Schema, schemas: Schemas): Schema {
  const references = schema.oneOf?.map(({ $ref = '' }) => $ref) ?? [];
  const choices = references.map(($ref) => schemas[$ref.slice(referenceTo('').length)]?.properties ?? {});
  const textsOf = (name: string) =>
    choices.flatMap((each) => (each[name]?.type === 'string' && each[name].enum?.length === 1 ? each[name].enum : []));
  const propertyName = Object.keys(choices[0] ?? {}).find((name) => textsOf(name).length === choices.length);
  if (propertyName === undefined) return schema;
  const mapping = Object.fromEntries(textsOf(propertyName).map((text, index) => [String(text), references[index]]));
  return { ...schema, discriminator: { propertyName, mapping } };
}
