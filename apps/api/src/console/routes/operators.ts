import type { ConsoleOperator } from '@lockstep/contract/console';
import {
  createOperator,
  disableOperator,
  enableOperator,
  type ListedOperator,
  linkOperator,
  listAuditLog,
  listOperators,
  resetOperatorPassword,
  setOperatorChannels,
  setOperatorRole,
} from '@lockstep/operators';
import type { Services } from '../../services.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** Handlers for operators and their audit log. */
export function operatorsHandlers({ passwords }: Services) {
  return {
    listOperators: async (request) => ({ operators: (await listOperators(request.db)).map(show) }),

    createOperator: (request, operator) => createOperator({ db: request.db, passwords }, request.body, operator),

    setOperatorRole: (request, operator) =>
      setOperatorRole(request.db, request.params.name, request.body.role, operator),

    setOperatorChannels: (request, operator) =>
      setOperatorChannels(request.db, request.params.name, request.body.channels, operator),

    disableOperator: (request, operator) => disableOperator(request.db, request.params.name, operator),

    enableOperator: (request, operator) => enableOperator(request.db, request.params.name, operator),

    resetOperatorPassword: (request, operator) =>
      resetOperatorPassword({ db: request.db, passwords }, request.params.name, operator),

    listAuditLog: (request, operator) => listAuditLog(request.db, operator, request.query),
    linkOperator: (request, operator) => linkOperator(request.db, request.params.name, operator),
  } satisfies ConsoleHandlers;
}

function show({ createdTime, disabledTime, lastUsedTime, ...operator }: ListedOperator): ConsoleOperator {
  return {
    ...operator,
    createdTime: createdTime.getTime(),
    disabledTime: disabledTime?.getTime() ?? null,
    lastUsedTime: lastUsedTime?.getTime() ?? null,
  };
}
