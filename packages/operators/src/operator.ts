import { randomUUID } from 'node:crypto';
import type { OperatorRole } from '@lockstep/contract/console';
import { nameSystemUser } from './system-user.ts';

/** Who does something that is recorded: an operator, or somebody who is not logged in to the console. */
export interface Actor {
  /** Null: nobody who is logged in. */
  operatorId: string | null;
  /** The operator's name; of the `lockstep` command its system user and host, of a failed log-in the address. */
  name: string;
  /** The x-request-id of the call. */
  requestId: string;
}

/** An operator who is logged in. */
export interface Operator extends Actor {
  operatorId: string;
  role: OperatorRole;
}

/** The actor of changes that a run of the `lockstep` command makes. */
export const newCommand = (): Actor => ({
  operatorId: null,
  name: nameSystemUser(),
  requestId: `command-${randomUUID()}`,
});
