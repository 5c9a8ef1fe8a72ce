import { randomUUID } from 'node:crypto';
import type { OperatorRole } from '@lockstep/contract/console';

/** Who changes something: an operator in a call of the console, or nobody in particular with the command. */
export interface Actor {
  /** Null: the command, whose user has the database itself. */
  operatorId: string | null;
  /** The x-request-id of the call. */
  requestId: string;
}

/** An operator who is logged in. */
export interface Operator extends Actor {
  operatorId: string;
  name: string;
  role: OperatorRole;
}

/** The actor of changes that the `lockstep` command makes. */
export const newCommand = (): Actor => ({ operatorId: null, requestId: `command-${randomUUID()}` });
