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
import type { ServerOptions } from '../../options.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** Handlers for operators and their audit log. */
export function operatorsHandlers({ passwords }: ServerOptions) {
  return {
    listOperators: async (request) => ({ operators: (await listOperators(request.db)).map(show) }),

    createOperator: (request, operator) => createOperator({ db: request.db, passwords }, request.body, operator),

    setOperatorRole: async (request, operator) => {
      await setOperatorRole(request.db, request.params.name, request.body.role, operator);
      return null;
    },

    setOperatorChannels: async (request, operator) => {
      await setOperatorChannels(request.db, request.params.name, request.body.channels, operator);
      return null;
    },

    disableOperator: async (request, operator) => {
      await disableOperator(request.db, request.params.name, operator);
      return null;
    },

    enableOperator: async (request, operator) => {
      await enableOperator(request.db, request.params.name, operator);
      return null;
    },

    resetOperatorPassword: (request, operator) =>
      resetOperatorPassword({ db: request.db, passwords }, request.params.name, operator),

    listAuditLog: (request, operator) => listAuditLog(request.db, operator, request.query),
    linkOperator: async (request, operator) => {
      await linkOperator(request.db, request.params.name, operator);
      return null;
    },
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
