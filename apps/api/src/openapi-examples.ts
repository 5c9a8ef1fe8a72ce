import { findExamples, parameterExamples, type SomeExamples } from '@lockstep/contract/examples';

interface Schema {
  $ref?: string;
  properties?: Record<string, { examples?: unknown[] }>;
}

interface Described {
  content?: Record<string, { schema?: Schema; examples?: unknown }>;
}

interface Operation {
  operationId?: string;
  parameters?: { name: string; example?: unknown }[];
  requestBody?: Described;
  responses?: Record<string, Described>;
}

interface Document {
  paths?: unknown;
  components?: { schemas?: unknown };
}

const COMPONENT = '#/components/schemas/';

/**
 * Adds the examples of the contract to an OpenAPI document: to operations by operationId, to parameters by name. They
 * stand beside the schemas, not in them, so that the schemas stay short. This file alone loads the examples.
 */
export function withExamples<Api extends Document>(document: Api): Api {
  const described = structuredClone(document);
  const paths = (described.paths ?? {}) as Record<string, Record<string, Operation>>;
  for (const operation of Object.values(paths).flatMap(Object.values<Operation>)) {
    for (const parameter of operation.parameters ?? []) {
      const example = parameterExamples[parameter.name];
      if (example !== undefined) parameter.example = example;
    }
    const { bodies, answers = {} } = findExamples(operation.operationId ?? '') ?? {};
    if (bodies !== undefined) exemplify(operation.requestBody, bodies);
    for (const [status, examples] of Object.entries(answers)) exemplify(operation.responses?.[status], examples);
    const form = operation.requestBody?.content?.['application/x-www-form-urlencoded']?.schema;
    if (form !== undefined && bodies !== undefined) exemplifyFields(resolve(described, form), bodies);
  }
  return described;
}

type Examples = SomeExamples['answers'][number];

function exemplify(described: Described | undefined, examples: Examples): void {
  for (const media of Object.values(described?.content ?? {})) media.examples = examples;
}

/**
 * Adds examples to the fields of a form: /docs fills in forms field by field, and only from the fields' own schemas.
 */
function exemplifyFields({ properties = {} }: Schema, bodies: Examples): void {
  const [first] = Object.values(bodies);
  for (const [name, value] of Object.entries(first?.value ?? {})) {
    const field = properties[name];
    if (field !== undefined) field.examples = [value];
  }
}

function resolve(document: Document, schema: Schema): Schema {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  return schemas[schema.$ref?.slice(COMPONENT.length) ?? ''] ?? schema;
}
