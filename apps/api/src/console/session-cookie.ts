import type {} from '@fastify/cookie';
import { CONSOLE_ROOT } from '@lockstep/contract/console';
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'lockstep_operator';

/** The token of the session in a call; undefined without one. */
export function readSessionToken({ cookies }: FastifyRequest): string | undefined {
  return cookies[NAME];
}

/**
 * Has the browser keep a session's token, out of reach for scripts and never sent from another site's page. Behind TLS
 * it is sent over TLS only: where PUBLIC_URL is https, or the proxy says so. It has no end of its own: the service
 * knows it.
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

/** Whether the first of the proxies in front was asked over TLS: each adds its own word at the end. */
function isForwardedFromTls({ headers }: FastifyRequest): boolean {
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim() === 'https';
}

/** Has the browser forget the session's token. */
export function clearSessionCookie(reply: FastifyReply, publicUrl: string | null): void {
  reply.clearCookie(NAME, { path: consolePathOf(publicUrl), httpOnly: true, sameSite: 'strict' });
}

/** The path of the console as browsers see it: behind the path prefix of PUBLIC_URL. */
export function consolePathOf(publicUrl: string | null): string {
  return (publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')) + CONSOLE_ROOT;
}
