import { z } from 'zod';
import { ListPageQuery } from '../orders/lists.ts';
import { optionalText, text } from '../scalars.ts';
import { consoleTable, OperatorRole } from './operation.ts';
import { OperatorName } from './session.ts';

/** An operator as admins see them; never a password. */
export const ConsoleOperator = z.object({
  operatorId: z.string(),
  name: z.string(),
  role: OperatorRole,
  createdTime: z.number(),
  /** When the operator was disabled; null while enabled. */
  disabledTime: z.number().nullable(),
  /** Sessions that have not ended. */
  sessions: z.number(),
  /** When the last of these was used; null without one. */
  lastUsedTime: z.number().nullable(),
});
export type ConsoleOperator = z.infer<typeof ConsoleOperator>;

/** An operator's name with a new password, which no other answer shows. */
export const NewOperatorLogin = z.object({ name: z.string(), password: z.string() });
export type NewOperatorLogin = z.infer<typeof NewOperatorLogin>;

/** Something that an operator or the `lockstep` command did, or a log-in that failed. */
export const RecordEntry = z.object({
  entryId: z.string(),
  time: z.number(),
  /** The operator's name; null: nobody who was logged in. */
  operator: z.string().nullable(),
  /** Who it was then: of the `lockstep` command the system user and host, of a failed log-in the address. Else null. */
  actor: z.string().nullable(),
  /** What was done, as a stable word: `application.approved`. */
  action: z.string(),
  /** What it was done to, such as an appKey or an id; null where the action says all. */
  target: z.string().nullable(),
  /** What was there before, as far as it changed. */
  before: z.unknown(),
  after: z.unknown(),
  /** The x-request-id of the call: it stands in the service's log too. */
  requestId: z.string(),
});
export type RecordEntry = z.infer<typeof RecordEntry>;

const params = z.object({ name: text(63) });

/** Who may log in to the console, and what they changed. */
export const operatorsOperations = consoleTable({
  listOperators: {
    method: 'GET',
    path: '/operators',
    role: 'admin',
    data: z.object({ operators: z.array(ConsoleOperator) }),
    summary: 'Lists all operators by name.',
  },
  createOperator: {
    method: 'POST',
    path: '/operators',
    role: 'admin',
    body: z.object({ name: OperatorName, role: OperatorRole }),
    data: NewOperatorLogin,
    summary: 'Makes an operator, and shows the password this once.',
  },
  setOperatorRole: {
    method: 'POST',
    path: '/operators/{name}/role',
    role: 'admin',
    params,
    body: z.object({ role: OperatorRole }),
    data: z.null(),
    summary: 'Gives an operator another role, from the next call on.',
  },
  disableOperator: {
    method: 'POST',
    path: '/operators/{name}/disable',
    role: 'admin',
    params,
    data: z.null(),
    summary: 'Keeps an operator out, and ends their sessions.',
  },
  enableOperator: {
    method: 'POST',
    path: '/operators/{name}/enable',
    role: 'admin',
    params,
    data: z.null(),
    summary: 'Lets a disabled operator log in again, with the password that they had.',
  },
  resetOperatorPassword: {
    method: 'POST',
    path: '/operators/{name}/password',
    role: 'admin',
    params,
    data: NewOperatorLogin,
    summary: 'Gives an operator a new password, shown this once, and ends their sessions.',
  },
  listRecord: {
    method: 'GET',
    path: '/record',
    role: 'support',
    query: z.object({
      /** Only what the operator of this name did. */
      operator: optionalText(),
      /** Only this action: `webhook.enabled`. */
      action: optionalText(),
      /** Only what was done to this: an appKey, an id. */
      target: optionalText(),
      ...ListPageQuery.shape,
    }),
    data: z.object({ entries: z.array(RecordEntry), nextCursor: z.string().nullable() }),
    summary: 'Lists what operators and the command changed, log-ins and log-outs, newest first.',
  },
});
