import { z } from 'zod';
import { ListPageQuery } from '../orders/lists.ts';
import { whole } from '../routes.ts';
import { emptyAsAbsent, optionalText, queryTime, text } from '../scalars.ts';
import { BoundChannels } from './applications.ts';
import { type ConsoleOperation, get, OperatorRole, on, pagesOf, post } from './operation.ts';
import { OperatorName } from './session.ts';

/** An operator as admins see them. */
export const ConsoleOperator = z.object({
  operatorId: z.string(),
  name: z.string(),
  role: OperatorRole,
  /** The channels that the operator is limited to unless an admin; null: all. */
  channels: z.array(z.string()).nullable(),
  byProvider: z.boolean().describe('Whether they log in by the provider, which also decides their role.'),
  createdTime: z.number(),
  disabledTime: z.number().nullable().describe('When the operator was disabled; null if enabled.'),
  sessions: z.number().describe('Number of active sessions.'),
  lastUsedTime: z.number().nullable().describe('When one of them was last used; null if none.'),
});
export type ConsoleOperator = z.infer<typeof ConsoleOperator>;

/** An operator's name and new password. No other answer shows it. */
export const NewOperatorLogin = z.object({ name: z.string(), password: z.string() });
export type NewOperatorLogin = z.infer<typeof NewOperatorLogin>;

/** An entry of the operators' audit log: a change by an operator or the `lockstep` command, or a failed login. */
export const OperatorAuditEntry = z.object({
  entryId: z.string(),
  time: z.number(),
  operator: z.string().nullable().describe("The operator's name; null if none was logged in."),
  /** For the `lockstep` command, the system user and host; for a failed login, the address; otherwise null. */
  actor: z.string().nullable(),
  action: z.string().describe('The kind of the change, a stable word such as `application.approved`.'),
  target: z.string().nullable().describe('What was changed, such as an appKey or an id; null if the action says it.'),
  before: z.unknown().describe('The changed values before and after.'),
  after: z.unknown(),
  requestId: z.string().describe('The x-request-id of the call, as in the log.'),
});
export type OperatorAuditEntry = z.infer<typeof OperatorAuditEntry>;

const operator = on('/operators/{name}', z.object({ name: text(63) }));

export const operatorsOperations = {
  listOperators: {
    ...get('/operators', 'admin'),
    list: whole('operators'),
    data: z.object({ operators: z.array(ConsoleOperator) }),
  },
  createOperator: {
    ...post('/operators', 'admin'),
    body: z.object({ name: OperatorName, role: OperatorRole, channels: BoundChannels.default(null) }),
    data: NewOperatorLogin,
  },
  /** Changes the role of an operator. It applies to the next call. */
  setOperatorRole: { ...operator.post('/role', 'admin'), body: z.object({ role: OperatorRole }), data: z.null() },
  /** Limits an operator to channels, or lifts the limit. It applies to the next call. */
  setOperatorChannels: {
    ...operator.post('/channels', 'admin'),
    body: z.object({ channels: BoundChannels }),
    data: z.null(),
  },
  disableOperator: { ...operator.post('/disable', 'admin'), data: z.null() },
  /** Enables a disabled operator. A password stays the same. */
  enableOperator: { ...operator.post('/enable', 'admin'), data: z.null() },
  /** Sets a new password for an operator, shown only once, and ends their sessions. */
  resetOperatorPassword: { ...operator.post('/password', 'admin'), data: NewOperatorLogin },
  /** Makes an operator log in by the provider: the next login under this name there gets the account. */
  linkOperator: { ...operator.post('/link', 'admin'), data: z.null() },
  listAuditLog: {
    ...get('/audit-log', 'support'),
    query: z.object({
      operator: optionalText().describe('Only entries of this operator.'),
      action: optionalText().describe('Only this action, such as `webhook.enabled`.'),
      target: optionalText().describe('Only entries about this target, such as an appKey.'),
      recordedFrom: emptyAsAbsent(queryTime().optional()).describe('Only if recorded at this time or later.'),
      recordedTo: emptyAsAbsent(queryTime().optional()).describe('Only if recorded at this time or earlier.'),
      ...ListPageQuery.shape,
    }),
    ...pagesOf('entries', OperatorAuditEntry),
  },
} satisfies Record<string, ConsoleOperation>;
