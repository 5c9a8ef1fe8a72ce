import { z } from 'zod';

/** The most faults that a list collects. Elements behind the last of them are not checked. */
export const MAX_FAULTS = 100;

/**
 * zod's array, but it stops after MAX_FAULTS faults. zod's own collects every fault of an input. 1.5 MB can hold a
 * million faults, which would take a minute and gigabytes, and a refusal names only the first.
 */
const BoundedArray = z.core.$constructor<z.ZodArray>('BoundedArray', (schema, definition) => {
  z.ZodArray.init(schema, definition);
  const { element } = definition;
  const parse = schema._zod.parse;
  const max = Math.min(...z.core.util.sizeCaps(definition.checks).map(([each]) => each));
  schema._zod.parse = (payload, context) => {
    const input: unknown = payload.value;
    // zod itself reports what is not a list or too long, without checking any element.
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

/** Creates a list schema that collects only its first faults. Bound its length with `max`. */
export function boundedArray<Item extends z.ZodType>(element: Item): z.ZodArray<Item> {
  return new BoundedArray({ type: 'array', element }) as unknown as z.ZodArray<Item>;
}

/**
 * Returns a schema that checks as another one does, in a call of its own. z.compile generates no code for a schema that
 * contains itself; put this in the place where the schema recurs.
 */
export function nested<Output>(find: () => z.ZodType<Output>) {
  return z.custom<Output>().check((payload) => {
    const result = find().safeParse(payload.value);
    if (result.success) payload.value = result.data;
    else payload.issues.push(...(result.error.issues as z.core.$ZodRawIssue[]));
  });
}
