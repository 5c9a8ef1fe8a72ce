import { z } from 'zod';

// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

/** Yields every object inside a JSON value, including the value itself. */
function* objectsIn(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/**
 * Turns a schema of the published API description into a check, resolving references in the document. With `isClosed`,
 * objects must have only described fields.
 */
export function buildPublishedCheck(document: Json, schema: Json, { isClosed = false } = {}): z.ZodType {
  const whole = structuredClone({ ...schema, $defs: document.components.schemas });
  if (isClosed) {
    for (const each of objectsIn(whole)) {
      if (typeof each.properties === 'object' && each.type !== undefined) each.additionalProperties ??= false;
    }
  }
  return z.fromJSONSchema(JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')));
}
