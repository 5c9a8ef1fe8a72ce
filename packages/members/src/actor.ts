import type { Channels, EnterpriseId, MemberId } from '@lockstep/contract';

/** Who acts in the member center, and in which enterprise: a call sees and changes nothing outside of it. */
export interface Actor {
  enterpriseId: EnterpriseId;
  /** The channels that the application is bound to. */
  channels: Channels;
  /** An administrator's id, or OPERATOR_ID. */
  memberId: MemberId;
  requestId: string;
}
