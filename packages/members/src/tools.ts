import type { PasswordHasher } from '@lockstep/access';
import type { Channels, EnterpriseId, MemberId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';

/** The dependencies of functions that set passwords. */
export interface PasswordTools {
  db: Database;
  passwords: PasswordHasher;
  /** Aborts when the caller no longer waits; passwords not yet hashed are dropped. */
  signal?: AbortSignal;
}

/** Who acts in the member center, and in which enterprise. A call sees and changes nothing outside it. */
export interface Actor {
  enterpriseId: EnterpriseId;
  /** The channels the application is bound to. */
  channels: Channels;
  /** An administrator's id, or OPERATOR_ID. */
  memberId: MemberId;
  requestId: string;
}
