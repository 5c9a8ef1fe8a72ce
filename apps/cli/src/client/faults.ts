const CLOSED = 'closed the connection before it answered.';
const NO_WAY = 'cannot be reached: there is no way to it from this network.';
const NO_TLS = 'does not speak TLS. Is it http:// and not https://?';
const NO_HTTP = 'does not speak HTTP. Is it https:// and not http://?';

/** What the error codes of the network and of TLS mean; each text continues after the address. */
const NETWORK_FAULTS: Record<string, string> = {
  ECONNREFUSED: 'refuses connections: nothing listens there, or a firewall is in between.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENOTFOUND: 'is not to be found: DNS does not know its name. Is it spelled right?',
  EAI_AGAIN: 'is not to be found: DNS does not answer. Are you connected?',
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: 'does not answer: no connection in time. A firewall may be in between.',
  NO_ANSWER: 'took the call and did not answer in time.',
  EPROTO: 'refuses TLS as this machine offers it: another version or cipher, or a certificate, is needed.',
  CERT_HAS_EXPIRED: 'has a certificate that has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name. Is the address spelled as in the certificate?',
};

const UNTRUSTED =
  'has a certificate that this machine does not trust. For one of your own set NODE_EXTRA_CA_CERTS to the file of its authority.';
const UNTRUSTED_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

/**
 * Explains in one or two sentences why a call got no answer: what happened, where, and what to do.
 * @param error what `send` threw
 */
export function explainNoAnswer(error: unknown, baseUrl: string): string {
  const { code, message } = findReason(error);
  const fault = `${baseUrl} ${explain(code, message) ?? `does not answer: ${code || message}.`}`;
  return code === 'ECONNREFUSED' && isLoopback(baseUrl) ? `${fault} Is npm start running?` : fault;
}

function explain(code: string, message: string): string | undefined {
  // What TLS makes of a server that speaks something else.
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(message)) return NO_TLS;
  // The parser of HTTP has a code for each thing that it does not understand.
  if (code.startsWith('HPE_')) return NO_HTTP;
  return UNTRUSTED_CODES.includes(code) ? UNTRUSTED : NETWORK_FAULTS[code];
}

/**
 * Explains an answer that is not from Lockstep: something else listens there, or is in between.
 * @param answer its status and the headers content-type and location; null if absent
 */
export function explainStrangeAnswer(
  url: string,
  answer: { status: number; contentType: string | null; location: string | null },
): string {
  const { status, contentType, location } = answer;
  if (status >= 300 && status < 400 && location !== null) {
    return `${url} leads elsewhere (HTTP ${status}): ${location}. Give the address behind that as --base-url.`;
  }
  if (status === 404) {
    return `${url} is not there (HTTP 404). Is --base-url the address of Lockstep, without the path of an operation?`;
  }
  const what = `${url} answered HTTP ${status} with ${contentType ?? 'no content type'}, which Lockstep does not`;
  if (status >= 500) return `${what}: a proxy in between does not reach it. Try again, or ask who runs the proxy.`;
  return `${what}: something else listens there, or a proxy is in between. Is --base-url right?`;
}

/** Node.js wraps the reasons of several addresses in one. */
function findReason(error: unknown): { code: string; message: string } {
  const { errors, code, message } = error as Partial<AggregateError & NodeJS.ErrnoException>;
  if (errors !== undefined && errors.length > 0) return findReason(errors[0]);
  return { code: code ?? '', message: message ?? String(error) };
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
