import { type ConsoleOperationId, consoleOperations, findConsoleOperation } from '@lockstep/contract/console';
import type { Plugin } from 'vite';

const NAME = 'virtual:operations';

/**
 * Gives the browser the contract's table of the console's operations without its schemas, which would bring zod along.
 */
export function operationsTable(): Plugin {
  return {
    name: 'lockstep-operations',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? `export const operations = ${JSON.stringify(plainTable())};` : undefined),
  };
}

function plainTable() {
  const ids = Object.keys(consoleOperations) as ConsoleOperationId[];
  return Object.fromEntries(
    ids.map((id) => {
      const { method, path, role, isDownload = false } = findConsoleOperation(id);
      return [id, { method, path, role, isDownload }];
    }),
  );
}
