import type { ApplicationCaller } from './access.ts';

/** Makes the type of OPERATOR one that nothing else has. */
declare const isOperator: unique symbol;
export interface Operator {
  applicationId: null;
  channels: null;
  [isOperator]: true;
}

/** An operator, who sees what all applications see. Only the console gets this value (decision 0017). */
export const OPERATOR = { applicationId: null, channels: null } as Operator;

/** Who looks. Every query for a viewer applies the viewer's limits. */
export type Viewer = ApplicationCaller | Operator;
