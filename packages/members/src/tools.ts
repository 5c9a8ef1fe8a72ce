import type { PasswordHasher } from '@lockstep/access';
import type { Database, Deadline, TransactionQueue } from '@lockstep/platform';

/** What changes of what employees hold work with: they wait in turn for assets that orders are changing. */
export interface HoldingTools {
  /** Turns of enterprises. */
  changes: TransactionQueue;
  deadline: Deadline;
}

/** What sets passwords. */
export interface PasswordTools {
  db: Database;
  passwords: PasswordHasher;
  /** Aborts where nobody waits for it any more: what has not been hashed by then is not. */
  signal?: AbortSignal;
}
