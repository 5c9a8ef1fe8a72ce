import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Operator as OperatorViewer } from '@lockstep/contract';
import type { OperatorRole } from '@lockstep/contract/console';

/** Who an audit log entry names: an operator, the command, or the origin of a failed login. */
export interface Actor {
  /** Null for the command and for failed logins. */
  operatorId: string | null;
  /** The operator's name, the command's system user and host, or the address of a failed login. */
  name: string;
  /** The x-request-id of the call. */
  requestId: string;
}

/** A logged-in operator. As a viewer, it sees only what belongs to its channels (rules 9 Channels of operators). */
export interface Operator extends Actor, OperatorViewer {
  operatorId: string;
  role: OperatorRole;
}

/** Returns the actor of one run of the `lockstep` command. */
export const newCommand = (): Actor => ({
  operatorId: null,
  name: nameSystemUser(),
  requestId: `command-${randomUUID()}`,
});

/** How many characters of the user and the host to keep. */
const MAX_USER = 64;
const MAX_HOST = 180;

/** Reads who runs this process. */
interface System {
  userInfo: () => { username: string };
  hostname: () => string;
  getuid: (() => number) | undefined;
}

/** Returns the system user and the host of this process, such as `root@db-1`, without control characters. */
export function nameSystemUser(system: System = { userInfo, hostname, getuid: process.getuid }): string {
  return `${clean(nameUser(system), MAX_USER)}@${clean(system.hostname(), MAX_HOST)}`;
}

/** Returns the user's name, or the uid, because a container's user may have no name. */
function nameUser({ userInfo: read, getuid }: System): string {
  try {
    return read().username;
  } catch {
    return `uid-${getuid?.() ?? 'unknown'}`;
  }
}

/** Control characters, and characters that change how the text around them is displayed. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const clean = (text: string, maxLength: number) => text.slice(0, maxLength).replace(UNPRINTABLE, '?');
