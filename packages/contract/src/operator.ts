import type { ApplicationCaller, Channels } from './access.ts';

/** Makes the type of operators one that nothing else has. */
declare const isOperator: unique symbol;
export interface Operator {
  applicationId: null;
  channels: Channels;
  [isOperator]: true;
}

/**
 * Returns how an operator sees things: as all applications do together, but only in these channels; null: in all. Only
 * sessions make such a viewer (decision 0017).
 */
export const operatorIn = (channels: Channels) => ({ applicationId: null, channels }) as Operator;

/** An operator who is not limited to channels. */
export const OPERATOR = operatorIn(null);

/** Who looks. Every query for a viewer applies the viewer's limits. */
export type Viewer = ApplicationCaller | Operator;
