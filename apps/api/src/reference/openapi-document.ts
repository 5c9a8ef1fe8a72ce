import type { Schema } from './openapi-schemas.ts';

/** The parts of an OpenAPI document that are used here. */
export interface ApiDocument {
  paths?: unknown;
  components?: { schemas?: unknown };
}

/** A parameter of an operation. */
export interface DescribedParameter {
  name: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}

/** A body or an answer of an operation. */
export interface DescribedContent {
  content?: Record<string, { schema?: Schema; examples?: unknown }>;
}

/** The parts of an operation that are used here. */
export interface DescribedOperation {
  operationId?: string;
  description?: string;
  parameters?: DescribedParameter[];
  requestBody?: DescribedContent;
  responses?: Record<string, DescribedContent & { headers?: Record<string, unknown>; $ref?: string }>;
}

/** Lists the operations of a document, with paths and methods. */
export function listOperations({ paths = {} }: ApiDocument) {
  return Object.entries(paths as Record<string, Record<string, DescribedOperation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
