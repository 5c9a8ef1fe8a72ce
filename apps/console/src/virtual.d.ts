declare module 'virtual:operations' {
  import type { ConsoleOperation, ConsoleOperationId } from '@lockstep/contract/console';

  /** The contract's operations without their schemas (vite.config.ts). `rows`: the field of a list's data with them. */
  export const operations: Record<
    ConsoleOperationId,
    Pick<ConsoleOperation, 'method' | 'path' | 'role'> & { rows?: string }
  >;
}
