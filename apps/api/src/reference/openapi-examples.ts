// biome-ignore lint/style/noRestrictedImports: only the description loads the examples
import { examples, parameterExamples, type SomeExamples } from '@lockstep/contract/examples';
import { type ApiDocument, type DescribedContent, listOperations } from './openapi-document.ts';
import type { Schema } from './openapi-schemas.ts';

const COMPONENT = '#/components/schemas/';

/**
 * Adds the examples of the contract to an OpenAPI document: to operations by operationId, to parameters by name.
 * Examples are beside the schemas, so that schemas stay short.
 */
export function withExamples<Api extends ApiDocument>(document: Api): Api {
  const described = structuredClone(document);
  for (const { operation } of listOperations(described)) {
    for (const parameter of operation.parameters ?? []) {
      const example = parameterExamples[parameter.name];
      if (example !== undefined) parameter.example = example;
    }
    const { bodies, answers = {} } = examples[operation.operationId ?? ''] ?? {};
    if (bodies !== undefined) exemplify(operation.requestBody, bodies);
    for (const [status, named] of Object.entries(answers)) exemplify(operation.responses?.[status], named);
    const form = operation.requestBody?.content?.['application/x-www-form-urlencoded']?.schema;
    if (form !== undefined && bodies !== undefined) exemplifyFields(resolve(described, form), bodies);
  }
  return described;
}

type Examples = SomeExamples['answers'][number];

function exemplify(described: DescribedContent | undefined, named: Examples): void {
  for (const media of Object.values(described?.content ?? {})) media.examples = named;
}

/** Adds examples to the fields of a form, because /docs fills in a form only from the schemas of its fields. */
function exemplifyFields({ properties = {} }: Schema, bodies: Examples): void {
  const [first] = Object.values(bodies);
  for (const [name, value] of Object.entries(first?.value ?? {})) {
    const field = properties[name];
    if (field !== undefined) field.examples = [value];
  }
}

function resolve(document: ApiDocument, schema: Schema): Schema {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  return schemas[schema.$ref?.slice(COMPONENT.length) ?? ''] ?? schema;
}
