import { z } from 'zod';
import { type Cause as CauseWord, causes, codeOf, type Module, type Refusal } from './causes.ts';
import { named } from './containers.ts';
import { MAX_LISTED_FAULTS } from './parse.ts';
import { nothing } from './scalars.ts';
import { fault } from './templates.ts';

export type Cause = CauseWord;

const CAUSES = Object.keys(causes) as [Cause, ...Cause[]];

export const Cause = z.enum(CAUSES, fault('one_of', CAUSES.join(', '))).meta({
  id: 'Cause',
  description:
    'Why a call was refused or an order failed, as a stable word for programs. Later releases may add causes: handle an unknown one by its code.',
});

export const MessageArgs = z.array(z.string()).meta({
  id: 'MessageArgs',
  description:
    'The values in a message, such as an asset number, in fixed places: each cause keeps them forever, and later releases may append more.',
});

export const Fault = z
  .object({
    path: z.string().describe('Path of the field, such as orderList[3].customerId.'),
    message: z.string().describe('For people: what it must be. The text may change.'),
    cause: Cause.describe('For programs: what is wrong.'),
    args: MessageArgs.describe('For programs: the path, and the values in the message.'),
  })
  .meta({ id: 'Fault', description: 'A bad field of a request.' });

/** The body of every answer that is a failure (rules 1). */
export const FailureBody = z
  .object({
    code: z
      .string()
      .describe(
        'Kind of the refusal: 13004 in the order module, several in the member center. 60000, 60005, 70001: access denied. ' +
          '500: a fault; retry.',
      ),
    message: z.string().describe('For people: the path of the field, if any, and what is wrong. The text may change.'),
    cause: Cause.describe('For programs: why the call was refused.'),
    args: MessageArgs.optional().describe('For programs: the values in the message, if it has any.'),
    faults: z
      .array(Fault)
      .optional()
      .describe(
        `The first ${MAX_LISTED_FAULTS} bad fields, or failed orders of a sync batch. The message is about the first one.`,
      ),
  })
  .meta({
    id: 'Failure',
    description:
      'The call was refused and changed nothing. With code 500 its outcome may be unknown: retry it with a new g_nonce. The ' +
      'code is a string, never the number 0.',
  });

export type FailureBody = z.infer<typeof FailureBody>;

const succeeded = {
  code: z.literal(0).meta({
    id: 'SuccessCode',
    type: 'integer',
    description: 'The number 0: success.',
    // Otherwise code generators name it NUMBER_0.
    'x-enum-varnames': ['SUCCESS'],
  }),
  message: z.string().describe('Always success.'),
};

/** Creates the schema of a success body with this `data` (rules 1). */
export function successBody<Data extends z.ZodType>(data: Data) {
  return z.object({ ...succeeded, data });
}

/** The success body of operations that return no data, such as O4 (rules 1). */
export const DoneBody = z.object(succeeded).meta({ id: 'Done', description: 'Success without data.' });
export type DoneBody = z.infer<typeof DoneBody>;

/** The success body of M2, M3, M4, M9 and M10, whose `data` is null (rules 1). */
export const DoneWithNullBody = named('DoneWithNull', 'Success without data.', {
  ...succeeded,
  data: nothing('Always null.'),
});

/** The answer of operations that return no data. */
export const done: DoneBody = { code: 0, message: 'success' };

/** Returns the success body for some data. */
export function success<Data>(data: Data): { code: 0; message: 'success'; data: Data } {
  return { code: 0, message: 'success', data };
}

/** Returns the body of a failure. */
export function failure({ reason, message, args, faults }: Refusal, module: Module): FailureBody {
  return {
    code: codeOf(reason, module),
    message,
    cause: reason,
    ...(args.length > 0 && { args: [...args] }),
    ...(faults && { faults: faults.map((fault) => ({ ...fault, args: [...fault.args] })) }),
  };
}
