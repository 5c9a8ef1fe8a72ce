import {
  type MemberOperationId,
  type Operation,
  type OrderOperationId,
  operations,
  WEBHOOK_MESSAGES,
} from '@lockstep/contract';
import { causes, codeOf, retryOf } from '@lockstep/contract/causes';
import { z } from 'zod';

/** The keywords of a JSON schema that are used here. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
  minimum?: number;
  maximum?: number;
}

type CalledId = OrderOperationId | MemberOperationId;
const called = Object.entries(operations).filter(([, { module }]) => module !== 'open') as [CalledId, Operation][];

/** What the client sends by itself. */
const OF_CLIENT = ['g_nonce', 'appKey'];

/**
 * Writes the module that stands for `src/contract.ts` in the published package: when calls can be repeated, and the
 * types of all operations, from their schemas.
 */
export function writeContract(): string {
  const described = describe();
  const retries = (Object.keys(causes) as (keyof typeof causes)[]).flatMap((cause) => {
    // An unknown cause with code 500 can be repeated, so those that can't have to be known.
    const retry = retryOf(cause) ?? (codeOf(cause, 'order') === '500' ? null : undefined);
    return retry === undefined ? [] : [[cause, retry]];
  });
  return [
    '// Written from the contract of the service by build/declarations.ts.',
    "export { fillPath, followerOf, repeatOf, routes } from './routes.ts';",
    "/** When the same call can succeed after a refusal, by cause. */\nexport const retries: Readonly<Record<string, 'later' | 'unclear' | 'new_token' | null | undefined>> =",
    `  ${JSON.stringify(Object.fromEntries(retries))};`,
    ...['order', 'member'].map((module) => {
      const ids = called.filter(([, operation]) => operation.module === module).map(([id]) => `'${id}'`);
      return `export type ${module === 'order' ? 'Order' : 'Member'}OperationId = ${ids.join(' | ')};`;
    }),
    `/** What the operations take and return, by operationId. */\nexport interface Operations {\n${called
      .map(
        ([id, operation]) =>
          `${comment(operation.summary, '  ')}  ${id}: ${typeOfOperation(id, operation, described)};\n`,
      )
      .join('')}}`,
    ...Object.entries(described.named).map(([name, schema]) => {
      const open = name === 'Cause' ? ' | (string & {})' : '';
      return `${comment(schema.description)}export type ${name} = ${typeOf(schema)}${open};`;
    }),
    '/** The body of a message to a webhook, or of a test of it. */',
    `export type Message = ${[...new Set(Object.values(WEBHOOK_MESSAGES).map((each) => each.meta()!.id))].join(' | ')};`,
    '',
  ].join('\n');
}

/** Describes the schemas of all operations as clients send and get them, which is the same. */
function describe() {
  const all: Record<string, z.ZodType> = {};
  for (const [id, { params, query, body, answers }] of called) {
    for (const [part, schema] of Object.entries({ params, query, body, answer: answers[200] })) {
      if (schema !== undefined) all[`${id}.${part}`] = schema;
    }
  }
  Object.assign(all, WEBHOOK_MESSAGES, { failure: operations.getEvents.answers[299] });
  const override = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: { type?: unknown } }) => {
    // The API description gives code generators another type beside null.
    if (zodSchema._zod.def.type === 'null') jsonSchema.type = 'null';
  };
  const schema = z.toJSONSchema(z.object(all), { io: 'input', unrepresentable: 'any', override }) as unknown as {
    $defs: Record<string, Schema>;
    properties: Record<string, Schema>;
  };
  return { named: schema.$defs, parts: schema.properties };
}

function typeOfOperation(id: CalledId, { module }: Operation, { named, parts }: ReturnType<typeof describe>): string {
  const own = module === 'member' ? [...OF_CLIENT, 'enterpriseGlobalId'] : OF_CLIENT;
  const [params, query] = (['params', 'query'] as const).map((part) => {
    const schema = parts[`${id}.${part}`];
    const fields = Object.entries(schema?.properties ?? {}).filter(([name]) => !own.includes(name));
    if (fields.length === 0) return `${part}?: never`;
    const required = (schema!.required ?? []).filter((name) => !own.includes(name));
    const type = typeOf({ type: 'object', properties: Object.fromEntries(fields), required }, part === 'query');
    return `${part}${required.length > 0 ? '' : '?'}: ${type}${required.length > 0 ? '' : ' | undefined'}`;
  });
  const body = parts[`${id}.body`];
  const answer = parts[`${id}.answer`]!;
  // Calls for many entries have a second answer, with what became of each.
  const data = (answer.anyOf ?? [answer]).map((each) => resolve(each, named).properties?.data);
  const types = new Set(data.map((each) => (each === undefined ? 'undefined' : typeOf(each))));
  return `{ request: { ${params}; ${query}; ${body ? `body: ${typeOf(body)}` : 'body?: never'} }; data: ${[...types].join(' | ')} }`;
}

const PREFIX = '#/$defs/';

const resolve = (schema: Schema, named: Record<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : named[schema.$ref.slice(PREFIX.length)]!;

/** Returns the TypeScript type of a schema. In a query, every value may be given as text. */
function typeOf(schema: Schema, isQuery = false): string {
  const { $ref, type, items, properties, additionalProperties } = schema;
  const choices = schema.oneOf ?? schema.anyOf;
  if ($ref) return $ref.slice(PREFIX.length);
  if (choices) return [...new Set(choices.map((each) => typeOf(each)))].join(' | ');
  const literals = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (literals) return literals.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' | ');
  if (type === 'array') return `Array<${items ? typeOf(items) : 'unknown'}>`;
  if (properties) {
    const fields = Object.entries(properties).map(([name, each]) => {
      const isRequired = schema.required?.includes(name);
      return `${comment(each.description)}${/\W/.test(name) ? `'${name}'` : name}${isRequired ? '' : '?'}: ${typeOf(each, isQuery)}${isRequired ? '' : ' | undefined'};\n`;
    });
    return `{\n${fields.join('')}}`;
  }
  if (type === 'object') {
    return typeof additionalProperties === 'object' ? `Record<string, ${typeOf(additionalProperties)}>` : 'object';
  }
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, isQuery)).join(' | ');
  if (type === 'integer' && schema.minimum === 0 && schema.maximum === 1) return '0 | 1';
  if (type === 'integer' || type === 'number') return isQuery ? 'number | string' : 'number';
  if (type === 'boolean') return isQuery ? 'boolean | string' : 'boolean';
  return type ?? 'unknown';
}

const comment = (text: string | undefined, indent = '') =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
