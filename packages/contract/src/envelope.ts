import { z } from 'zod';
import { Cause } from './cause-schema.ts';
import { buildMessage, codeOf, type Fault, type Module } from './causes.ts';
import { MAX_LISTED_FAULTS } from './parse.ts';
import { nothing } from './scalars.ts';

/** The body of every answer that is a failure (rules 1). */
export const FailureBody = z
  .object({
    code: z
      .string()
      .describe(
        '13004, in the member center another code for each kind of fault: refused; 60000, 60005, 70001: not allowed; ' +
          '500: a fault, retry. The cause says more.',
      ),
    message: z.string().describe('For people: what was wrong, and the path of the field. It may change.'),
    cause: Cause.describe('For programs: what was wrong, as a stable word.'),
    faults: z
      .array(
        z
          .object({
            path: z.string().describe('The field: orderList[3].customerId.'),
            message: z.string().describe('For people: what it must be. It may change.'),
          })
          .meta({ id: 'Fault', description: 'A fault in a call.' }),
      )
      .optional()
      .describe(`Where fields are wrong: the first ${MAX_LISTED_FAULTS} faults, that of the message first.`),
  })
  .meta({
    id: 'Failure',
    description:
      'A call that was refused, and has changed nothing; or, with code 500, a fault: what became of it is not known, so ' +
      'send it again, with a new g_nonce. The code is a text, never the number 0.',
  });

export type FailureBody = z.infer<typeof FailureBody>;

const succeeded = {
  code: z.literal(0).meta({
    id: 'SuccessCode',
    type: 'integer',
    description: 'The number 0: the call was carried out.',
    // A name for code generators, which would call 0 NUMBER_0.
    'x-enum-varnames': ['SUCCESS'],
  }),
  message: z.string().describe('The word success.'),
};

/** Creates the schema of a success body with this `data` (rules 1). */
export function successBody<Data extends z.ZodType>(data: Data) {
  return z.object({ ...succeeded, data });
}

/** The success body of O4, which returns no data (rules 1). */
export const DoneBody = z
  .object(succeeded)
  .meta({ id: 'Done', description: 'A success that has nothing more to say.' });
export type DoneBody = z.infer<typeof DoneBody>;

/** The success body of M2, M3, M4, M9 and M10, whose `data` is null (rules 1). */
export const DoneWithNullBody = z
  .object({ ...succeeded, data: nothing('Always null: there is nothing more to say.') })
  .meta({ id: 'DoneWithNull', description: 'A success that has nothing more to say.' });

/** The answer of O4. */
export const done: DoneBody = { code: 0, message: 'success' };

/** Wraps an operation's result as a success body. */
export function success<Data>(data: Data): { code: 0; message: 'success'; data: Data } {
  return { code: 0, message: 'success', data };
}

/** Creates the failure body of a cause. Pass a `message` whose placeholders are filled in, if the cause has any. */
export function failure(
  cause: Cause,
  module: Module,
  message = buildMessage(cause),
  faults?: readonly Fault[],
): FailureBody {
  return { code: codeOf(cause, module), message, cause, ...(faults && { faults: [...faults] }) };
}
