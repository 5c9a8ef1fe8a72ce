/** Why an attempt without a 2xx does not count as delivered, in words for people, without anything of the inside. */

export const TIMED_OUT = 'no answer within 15 seconds';
export const NO_FINAL_STATUS = 'three 1xx answers came before a final status';
export const HEADERS_TOO_LARGE = 'the headers of the answer are too large';
export const NOT_HTTPS = 'the URL must begin with https://';
const CLOSED = 'the connection was closed before an answer came';
const FORBIDDEN = 'the host is at a private, loopback, link-local or otherwise reserved address';

/** Explains a status that is not 2xx. */
export function explainStatus(status: number): string {
  if (status >= 300 && status < 400) return `answered with a redirect (${status}), which is not followed`;
  if (status === 410) return 'answered 410: the endpoint is gone';
  return `answered ${status}`;
}

const BY_NAME_CODE: Record<string, string> = {
  ENOTFOUND: 'the name of the host is not known',
  ENODATA: 'the name of the host has no address',
};

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'the host refused the connection',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: 'the host could not be reached',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the host could not be reached',
  EADDRNOTAVAIL: 'the host could not be reached',
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
  const { message, code = '', syscall = '' } = error as { message: string; code?: string; syscall?: string };
  // request-filtering-agent gives its errors no code.
  if (message.startsWith('DNS lookup ')) return FORBIDDEN;
  // Name servers have their own errors, some under the codes of connections.
  if (/^(query|getaddrinfo)/.test(syscall)) return BY_NAME_CODE[code] ?? 'the name of the host could not be looked up';
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') return 'TLS could not be set up';
  return 'the message could not be sent';
}
