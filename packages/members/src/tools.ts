import type { PasswordHasher } from '@lockstep/access';
import type { Channels, EnterpriseId, MemberId } from '@lockstep/contract';
import type { Database, Deadline, TransactionQueue } from '@lockstep/platform';

/** What M4, M9 and M10 work with. They wait in turn for assets that orders are changing. */
export interface HoldingTools {
  /** Enterprises take turns here. */
  changes: TransactionQueue;
  deadline: Deadline;
}

/** What the functions that set passwords work with. */
export interface PasswordTools {
  db: Database;
  passwords: PasswordHasher;
  /** Aborts when nobody waits for the call any more; what has not been hashed by then is not hashed. */
  signal?: AbortSignal;
}

/** Who acts in the member center, and in which enterprise: a call sees and changes nothing outside of it. */
export interface Actor {
  enterpriseId: EnterpriseId;
  /** The channels that the application is bound to. */
  channels: Channels;
  /** An administrator's id, or OPERATOR_ID. */
  memberId: MemberId;
  requestId: string;
}
