import { z } from 'zod';
import { fault } from './templates.ts';

/** Maximum faults that a list collects. The elements after the last one are not checked. */
export const MAX_FAULTS = 100;

/**
 * zod's array, except that it stops after MAX_FAULTS faults. zod collects all of them: for 1.5 MB that can be a
 * million, which takes a minute and gigabytes, although a refusal lists only the first.
 */
const BoundedArray = z.core.$constructor<z.ZodArray>('BoundedArray', (schema, definition) => {
  z.ZodArray.init(schema, definition);
  const { element } = definition;
  const parse = schema._zod.parse;
  const max = Math.min(...z.core.util.sizeCaps(definition.checks).map(([each]) => each));
  schema._zod.parse = (payload, context) => {
    const input: unknown = payload.value;
    // zod reports a value that is not a list, or too long, without checking its elements.
    if (!Array.isArray(input) || input.length > max) return parse(payload, context);
    const items: unknown[] = [];
    payload.value = items;
    for (let index = 0; index < input.length && payload.issues.length < MAX_FAULTS; index++) {
      const result = element._zod.run({ value: input[index] as unknown, issues: [] }, context);
      if (result instanceof Promise) throw new Error('Schemas of the contract must be synchronous');
      if (result.issues.length > 0) payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
      items.push(result.value);
    }
    return payload;
  };
});

/** Creates a list schema that collects only its first faults. Limit its length with `max`. */
export function boundedArray<Item extends z.ZodType>(element: Item): z.ZodArray<Item> {
  return new BoundedArray({ type: 'array', element }) as unknown as z.ZodArray<Item>;
}

/** Creates the schema of an object that the API description lists by name. */
export function named<Fields extends z.core.$ZodLooseShape>(id: string, description: string, fields: Fields) {
  return z.object(fields).meta({ id, description });
}

/** Creates the schema of a word that the API description lists by name. */
export function namedEnum<const Words extends readonly string[]>(id: string, description: string, words: Words) {
  return z.enum(words, fault('one_of', words.join(', '))).meta({ id, description });
}

/**
 * Returns a schema that checks like another one, in a separate call. z.compile cannot compile a schema that contains
 * itself; use this where it recurs.
 */
export function nested<Output>(find: () => z.ZodType<Output>) {
  return z.custom<Output>().check((payload) => {
    const result = find().safeParse(payload.value);
    if (result.success) payload.value = result.data;
    else payload.issues.push(...(result.error.issues as z.core.$ZodRawIssue[]));
  });
}
