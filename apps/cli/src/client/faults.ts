const CLOSED = 'closed the connection without answering.';
const NO_ROUTE = 'is unreachable: this network has no route to it.';

/** The sentences for servers that speak another protocol; each continues after the address. */
export const NO_TLS = 'does not speak TLS. Try http:// instead of https://.';
export const NO_HTTP = 'does not speak HTTP. Try https:// instead of http://.';

/** The sentences for error codes of the network and of TLS; each continues after the address. */
export const NETWORK_FAULTS: Record<string, string> = {
  ECONNREFUSED: 'refused the connection: nothing listens there, or a firewall blocks it.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENOTFOUND: 'is unreachable: DNS does not know the host. Check the spelling.',
  EAI_AGAIN: 'is unreachable: DNS does not answer. Check your network connection.',
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: 'is unreachable: connecting timed out. A firewall may block it.',
  NO_ANSWER: 'accepted the call but did not answer in time.',
  TOO_LONG: 'sent more than 128 MiB, which is not an answer of Lockstep. Check --base-url.',
  EPROTO: 'rejected TLS: it needs another version, another cipher or a client certificate.',
  CERT_HAS_EXPIRED: 'has an expired certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host. Use the host in the certificate.',
};

export const UNTRUSTED =
  'has a certificate that this machine does not trust. If it is from your own CA, set NODE_EXTRA_CA_CERTS to the CA file.';
const UNTRUSTED_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

/**
 * Explains why a call got no answer, and what to do.
 * @param error what `send` threw
 */
export function explainNoAnswer(error: unknown, baseUrl: string): string {
  const { code, message } = findReason(error);
  const fault = `${baseUrl} ${explain(code, message) ?? `did not answer: ${code || message}.`}`;
  return code === 'ECONNREFUSED' && isLoopback(baseUrl) ? `${fault} Is npm start running?` : fault;
}

function explain(code: string, message: string): string | undefined {
  // How OpenSSL reports a server that speaks another protocol.
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(message)) return NO_TLS;
  // The HTTP parser has a code for each kind of invalid input.
  if (code.startsWith('HPE_')) return NO_HTTP;
  return UNTRUSTED_CODES.includes(code) ? UNTRUSTED : NETWORK_FAULTS[code];
}

/**
 * Explains an answer that is not from Lockstep but from another service or a proxy.
 * @param answer its status, and its headers content-type and location; null if absent
 */
export function explainStrangeAnswer(
  url: string,
  answer: { status: number; contentType: string | null; location: string | null },
): string {
  const { status, contentType, location } = answer;
  if (status >= 300 && status < 400 && location !== null) {
    return `${url} redirects to ${location} (HTTP ${status}). Set --base-url to the address of Lockstep itself.`;
  }
  if (status === 404) {
    return `${url} does not exist (HTTP 404). Set --base-url to the address of Lockstep, without the path of an operation.`;
  }
  const fault = `${url} answered HTTP ${status} with ${contentType ?? 'no content type'}, which is not from Lockstep.`;
  if (status >= 500) return `${fault} A proxy may be unable to reach Lockstep: try again, or check the proxy.`;
  return `${fault} Another service or a proxy answers there: check --base-url.`;
}

/** Finds the reason of an error. If several addresses failed, Node.js wraps their reasons in one error. */
function findReason(error: unknown): { code: string; message: string } {
  const { errors, code, message } = error as Partial<AggregateError & NodeJS.ErrnoException>;
  if (errors !== undefined && errors.length > 0) return findReason(errors[0]);
  return { code: code ?? '', message: message ?? String(error) };
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
