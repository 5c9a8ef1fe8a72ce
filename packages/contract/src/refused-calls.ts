import { z } from 'zod';
import { named } from './containers.ts';
import { Cause, Fault, MessageArgs } from './envelope.ts';
import { checkPeriod, ListPageQuery, NEXT_CURSOR } from './orders/lists.ts';
import { emptyAsAbsent, integer, optionalText, queryTime, textOrNull, time } from './scalars.ts';

/** How many of the faults of a refused call, and of the asset numbers that it named, are stored (rules 1.3). */
export const MAX_KEPT_FAULTS = 5;
export const MAX_KEPT_ASSETS = 20;

/** The query of a list of refused calls. All filters apply together; another one is refused. */
export const ListRefusalsQuery = z
  .strictObject({
    refusedFrom: emptyAsAbsent(queryTime().optional()).describe('Only if refused at this time or later.'),
    refusedTo: emptyAsAbsent(queryTime().optional()).describe('Only if refused at this time or earlier.'),
    cause: emptyAsAbsent(Cause.optional()).describe('Only calls refused with this cause.'),
    operation: optionalText().describe('Only calls of this operation, such as createBatchOrder.'),
    requestId: optionalText().describe('Only the call with this x-request-id.'),
    ...ListPageQuery.shape,
  })
  .superRefine(({ refusedFrom, refusedTo }, context) => checkPeriod(context, { refusedFrom, refusedTo }));
export type ListRefusalsQuery = z.infer<typeof ListRefusalsQuery>;

export const RefusedCall = named('RefusedCall', 'A refused call.', {
  time: time('When it was refused'),
  operation: z.string().describe('The operation that it called, such as createBatchOrder.'),
  code: z.string().describe('Code of the answer.'),
  cause: Cause.describe('Why it was refused.'),
  message: z.string().describe('The cause in words.'),
  args: MessageArgs.describe('The values in the message, the first 300 characters of each.'),
  faults: z.array(Fault).describe(`The first ${MAX_KEPT_FAULTS} bad fields; empty if fields were not the problem.`),
  requestId: z.string().describe('The x-request-id of the call and its answer.'),
  channelOrderId: textOrNull('The channelOrderId that it named; null if none was readable.'),
  assetNums: z
    .array(z.string())
    .describe(`The first ${MAX_KEPT_ASSETS} asset numbers that it named; empty if none was readable.`),
  size: integer().describe('Bytes of its body: those it announced, otherwise those that arrived.'),
});
export type RefusedCall = z.infer<typeof RefusedCall>;

const RefusalCounts = z.record(z.string(), integer()).meta({
  id: 'RefusalCounts',
  description: 'How many calls were refused with each cause, the most frequent first.',
});

export const RefusalPage = named('RefusalPage', 'A page of refused calls.', {
  refusals: z.array(RefusedCall).describe('Refused calls of the application, newest first.'),
  nextCursor: NEXT_CURSOR,
  counts: RefusalCounts.describe(
    'On the first page: how many calls of the application were refused with each cause from refusedFrom, by default an ' +
      'hour before its end, to refusedTo, by default now. By whole minutes, whatever the other filters, but empty with requestId.',
  ),
});
export type RefusalPage = z.infer<typeof RefusalPage>;
