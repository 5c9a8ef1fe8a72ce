import { z } from 'zod';

/** Faults that a list notes; the elements behind them are not looked at. */
export const MAX_FAULTS = 100;

/**
 * zod's array, which stops at its first faults. zod notes every fault of an input, and 1.5 MB can hold a million: that
 * takes a minute and gigabytes, and a refusal names only the first.
 */
const BoundedArray = z.core.$constructor<z.ZodArray>('BoundedArray', (schema, definition) => {
  z.ZodArray.init(schema, definition);
  const { element } = definition;
  const parse = schema._zod.parse;
  const max = Math.min(...z.core.util.sizeCaps(definition.checks).map(([each]) => each));
  schema._zod.parse = (payload, context) => {
    const input: unknown = payload.value;
    // What is no list, or is too long, has its one fault before any element is looked at.
    if (!Array.isArray(input) || input.length > max) return parse(payload, context);
    const items: unknown[] = [];
    payload.value = items;
    for (let index = 0; index < input.length && payload.issues.length < MAX_FAULTS; index++) {
      const result = element._zod.run({ value: input[index] as unknown, issues: [] }, context);
      if (result instanceof Promise) throw new Error('A schema of the contract waits for nothing');
      if (result.issues.length > 0) payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
      items.push(result.value);
    }
    return payload;
  };
});

/** A list that notes its first faults only; `max` bounds its length. */
export function boundedArray<Item extends z.ZodType>(element: Item): z.ZodArray<Item> {
  return new BoundedArray({ type: 'array', element }) as unknown as z.ZodArray<Item>;
}
