/** Why an attempt without a 2xx does not count as delivered, in words for people, without anything of the inside. */

export const TIMED_OUT = 'no answer within 15 seconds';
export const NO_FINAL_STATUS = 'three 1xx answers came before a final status';
export const HEADERS_TOO_LARGE = 'the headers of the answer are too large';
export const NOT_HTTPS = 'the URL must begin with https://';
export const CLOSED = 'the connection was closed before an answer came';
/**
 * One answer for an unknown name, for an address that must not be connected to, and for one that does not answer, so
 * that an application cannot learn the names and addresses of the network in which the worker runs (rules 6.8).
 */
export const UNREACHABLE = 'the host could not be reached: check that its name leads to a public address';

/** An address to which nothing must be sent. */
export class ForbiddenAddress extends Error {
  constructor(address: string) {
    super(`${address} is not public`);
    this.name = 'ForbiddenAddress';
  }
}

/** Explains a status that is not 2xx. */
export function explainStatus(status: number): string {
  if (status >= 300 && status < 400) return `answered with a redirect (${status}), which is not followed`;
  if (status === 410) return 'answered 410: the endpoint is gone';
  return `answered ${status}`;
}

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'the host refused the connection',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENODATA: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  CERT_HAS_EXPIRED: 'the certificate of the host has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the host is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the host is signed by nobody who is known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the host is signed by nobody who is known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the host is signed by nobody who is known',
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
};

/** Explains an error of a request. */
export function explainError(error: unknown): string {
  if (error instanceof ForbiddenAddress) return UNREACHABLE;
  const { code = '', syscall = '' } = error as { code?: string; syscall?: string };
  // Name servers have their own errors, some under the codes of connections.
  if (/^(query|getaddrinfo)/.test(syscall)) return UNREACHABLE;
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') return 'TLS could not be set up';
  return 'the message could not be sent';
}
