import { randomUUID } from 'node:crypto';
import type { OperatorRole } from '@lockstep/contract/console';
import { nameSystemUser } from './system-user.ts';

/** Who an audit log entry names: an operator, the command, or the origin of a failed login. */
export interface Actor {
  /** Null for the command and for failed logins. */
  operatorId: string | null;
  /** The operator's name, the command's system user and host, or the address of a failed login. */
  name: string;
  /** The x-request-id of the call. */
  requestId: string;
}

/** A logged-in operator. */
export interface Operator extends Actor {
  operatorId: string;
  role: OperatorRole;
}

/** Returns the actor of one run of the `lockstep` command. */
export const newCommand = (): Actor => ({
  operatorId: null,
  name: nameSystemUser(),
  requestId: `command-${randomUUID()}`,
});
