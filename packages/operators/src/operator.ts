import type { OperatorRole } from '@lockstep/contract/console';

/** Who acts in a call of the console. */
export interface Operator {
  operatorId: string;
  name: string;
  role: OperatorRole;
  /** The x-request-id of the call. */
  requestId: string;
}
