import { z } from 'zod';
import { type Cause, causes, codeOf, type Module, messageOf } from './causes.ts';

/** The stable words for programs, from the table of causes. */
export const causeWord = z.enum(Object.keys(causes) as [Cause, ...Cause[]]);

/** The failure body of every operation (interface.md, Errors; decisions 1). */
export const failureBody = z
  .object({
    code: z
      .string()
      .describe(
        '13004, in the member center another code for each kind of fault: refused; 60000, 60005, 70001: not allowed; ' +
          '500: a fault, retry. The cause says more.',
      ),
    message: z.string().describe('For people: what was wrong, and the path of the field.'),
    cause: causeWord.describe('For programs: a stable word.'),
  })
  .meta({ id: 'Failure', description: 'HTTP 299: business exception.' });

export type FailureBody = z.infer<typeof failureBody>;

/** The success body around `data` (interface.md, Errors). */
export function successBody<Data extends z.ZodType>(data: Data) {
  return z.object({ code: z.literal(0), message: z.literal('success'), data });
}

/** The success body of an operation that has nothing to say: O4 (decisions 1). */
export const doneBody = z.object({ code: z.literal(0), message: z.literal('success') });

/** What such an operation answers. */
export const done: z.infer<typeof doneBody> = { code: 0, message: 'success' };

/** Wraps an operation's result as a success body. */
export function success<Data>(data: Data): { code: 0; message: 'success'; data: Data } {
  return { code: 0, message: 'success', data };
}

/** Makes the failure body of a cause; `message` replaces the table's text where it is already filled in. */
export function failure(cause: Cause, module: Module, message = messageOf(cause)): FailureBody {
  return { code: codeOf(cause, module), message, cause };
}
