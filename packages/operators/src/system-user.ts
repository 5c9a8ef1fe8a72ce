import { hostname, userInfo } from 'node:os';

/** Characters of a user and of a host that are kept. */
const MAX_USER = 64;
const MAX_HOST = 180;

/** What the operating system says of this process. */
interface System {
  userInfo: () => { username: string };
  hostname: () => string;
  getuid: (() => number) | undefined;
}

/** Names the system user and the host that this process runs as, `root@db-1`, without control characters. */
export function nameSystemUser(system: System = { userInfo, hostname, getuid: process.getuid }): string {
  return `${clean(nameUser(system), MAX_USER)}@${clean(system.hostname(), MAX_HOST)}`;
}

/** In a container, a user may have no entry in its list of users, and so no name. */
function nameUser({ userInfo: read, getuid }: System): string {
  try {
    return read().username;
  } catch {
    return `uid-${getuid?.() ?? 'unknown'}`;
  }
}

/** Control characters, and those that change how the text around them is shown. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const clean = (text: string, maxLength: number) => text.slice(0, maxLength).replace(UNPRINTABLE, '?');
