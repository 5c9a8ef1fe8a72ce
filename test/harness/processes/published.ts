import { z } from 'zod';

// biome-ignore lint/suspicious/noExplicitAny: a document that is looked into everywhere
type Json = any;

/** Every object inside a JSON value, the value itself included. */
function* objectsIn(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/**
 * A schema of the published API description as a check; what it refers to comes from the document's components.
 * `isClosed` lets no object have fields that are not described.
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
