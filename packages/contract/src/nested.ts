import { z } from 'zod';

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
