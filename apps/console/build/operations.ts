import { type ConsoleOperationId, consoleOperations, findConsoleOperation } from '@lockstep/contract/console';
import type { Plugin } from 'vite';

const NAME = 'virtual:operations';

/** Provides the contract's console operations without their schemas, which would bring zod into the browser. */
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
