import type {} from '@fastify/cookie';
import { CONSOLE_ROOT } from '@lockstep/contract/console';
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'lockstep_operator';
const ATTEMPT = 'lockstep_log_in';
/** How long a login by the provider may take. */
const ATTEMPT_SECONDS = 600;

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
  reply.setCookie(NAME, token, { ...optionsOf(publicUrl), secure: isBehindTls });
}

/** Stores an attempt to log in by the provider in the browser, as a session token is, until the page sends it back. */
export function setAttemptCookie(reply: FastifyReply, attempt: string, publicUrl: string | null): void {
  const secure = publicUrl?.startsWith('https:') === true;
  reply.setCookie(ATTEMPT, attempt, { ...optionsOf(publicUrl), secure, maxAge: ATTEMPT_SECONDS });
}

/** Returns the attempt of a browser, and deletes it there, so that it is used once. */
export function takeAttempt({ cookies }: FastifyRequest, reply: FastifyReply, publicUrl: string | null): string {
  reply.clearCookie(ATTEMPT, optionsOf(publicUrl));
  return cookies[ATTEMPT] ?? '';
}

const optionsOf = (publicUrl: string | null) =>
  ({ path: consolePathOf(publicUrl), httpOnly: true, sameSite: 'strict' }) as const;

/** Whether the first proxy was reached over TLS. Each proxy appends its entry. */
function isForwardedFromTls({ headers }: FastifyRequest): boolean {
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim() === 'https';
}

/** Deletes the session token from the browser. */
export function clearSessionCookie(reply: FastifyReply, publicUrl: string | null): void {
  reply.clearCookie(NAME, optionsOf(publicUrl));
}

/** Returns the path of the console as browsers see it, with the path prefix of PUBLIC_URL. */
export function consolePathOf(publicUrl: string | null): string {
  return (publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')) + CONSOLE_ROOT;
}
