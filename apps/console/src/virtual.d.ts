declare module 'virtual:operations' {
  import type { ConsoleOperation, ConsoleOperationId } from '@lockstep/contract/console';

  /** The contract's operations without their schemas (vite.config.ts). */
  export const operations: Record<ConsoleOperationId, Pick<ConsoleOperation, 'method' | 'path' | 'role'>>;
}
