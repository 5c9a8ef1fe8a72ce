import type {} from '@fastify/cookie';
import { CONSOLE_ROOT } from '@lockstep/contract/console';
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'lockstep_operator';

/** Returns the session token of a call; undefined if there is none. */
export function readSessionToken({ cookies }: FastifyRequest): string | undefined {
  return cookies[NAME];
}

/**
 * Stores a session token in the browser, hidden from scripts and never sent from pages of other sites. If PUBLIC_URL is
 * https or the proxy reports TLS, the cookie is sent over TLS only. The service, not the cookie, decides when the
 * session expires.
 */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  publicUrl: string | null,
) {
  const isBehindTls = publicUrl?.startsWith('https:') === true || isForwardedFromTls(request);
  reply.setCookie(NAME, token, {
    path: consolePathOf(publicUrl),
    httpOnly: true,
    sameSite: 'strict',
    secure: isBehindTls,
  });
}

/** Whether the first proxy was reached over TLS. Each proxy appends its entry. */
function isForwardedFromTls({ headers }: FastifyRequest): boolean {
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim() === 'https';
}

/** Deletes the session token from the browser. */
export function clearSessionCookie(reply: FastifyReply, publicUrl: string | null): void {
  reply.clearCookie(NAME, { path: consolePathOf(publicUrl), httpOnly: true, sameSite: 'strict' });
}

/** Returns the path of the console as browsers see it, with the path prefix of PUBLIC_URL. */
export function consolePathOf(publicUrl: string | null): string {
  return (publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')) + CONSOLE_ROOT;
}
