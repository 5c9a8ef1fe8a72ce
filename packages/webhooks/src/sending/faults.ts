/** Why an attempt failed, in words for users, without internals. */

export const REFUSED = 'the host refused the connection';
export const SELF_SIGNED_CERTIFICATE = "the host's certificate is self-signed";
const UNTRUSTED = "the host's certificate is not signed by a trusted authority";
export const TLS_FAILED = 'the TLS handshake failed';
export const NOT_HTTP = 'the response is not HTTP';
export const TIMED_OUT = 'no response within 15 seconds';
export const NO_FINAL_STATUS = 'three 1xx responses came before a final status';
export const HEADERS_TOO_LARGE = 'the response headers are too large';
export const NOT_HTTPS = 'the URL must start with https://';
export const CLOSED = 'the endpoint closed the connection without a response';
/**
 * The same fault for an unknown name, a forbidden address and one that does not respond, so that an application cannot
 * explore names and addresses in the worker's network (rules 6.8).
 */
export const UNREACHABLE = 'the host could not be reached; check that its name resolves to a public address';

/** Thrown for an address to which nothing may be sent. */
export class ForbiddenAddress extends Error {
  constructor(address: string) {
    super(`${address} is not public`);
    this.name = 'ForbiddenAddress';
  }
}

export function explainStatus(status: number): string {
  if (status >= 300 && status < 400) return `the endpoint responded ${status}; redirects are not followed`;
  if (status === 410) return 'the endpoint responded 410 Gone';
  return `the endpoint responded ${status}`;
}

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: REFUSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENODATA: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  CERT_HAS_EXPIRED: "the host's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the host's certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
};

export function explainError(error: unknown): string {
  if (error instanceof ForbiddenAddress) return UNREACHABLE;
  const { code = '', syscall = '' } = error as { code?: string; syscall?: string };
  // DNS has its own errors, some with the codes of connection errors.
  if (/^(query|getaddrinfo)/.test(syscall)) return UNREACHABLE;
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (code.startsWith('HPE_')) return NOT_HTTP;
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') return TLS_FAILED;
  return 'the message could not be sent';
}
