declare module 'virtual:operations' {
  import type { ConsoleOperation, ConsoleOperationId } from '@lockstep/contract/console';

  /** The contract's operations without their schemas (build/operations.ts). */
  export const operations: Record<
    ConsoleOperationId,
    Pick<ConsoleOperation, 'method' | 'path' | 'role'> & { isDownload: boolean }
  >;
}
