import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Fetch } from '@lockstep/client';

/** The time for connecting, including TLS. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Takes the place of fetch, which takes a third of a command's processor time to load. Throws the errors of Node.js,
 * with their codes; `ETIMEDOUT` if connecting timed out.
 */
export const nodeFetch: Fetch = async (url, { method, headers, body, signal }) => {
  // TLS is slow to load, and a local service does not need it.
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const call = request(url, { method, headers, signal });
  const timer = setTimeout(() => {
    if (isConnecting(call.socket)) call.destroy(Object.assign(new Error('ETIMEDOUT'), { code: 'ETIMEDOUT' }));
  }, CONNECT_TIMEOUT_MS);
  // The service may refuse, and close the connection, while the body is still being sent: the answer counts.
  call.on('error', () => {});
  const answered = once(call, 'response', { signal });
  call.end(body);
  const [response] = (await answered.finally(() => clearTimeout(timer))) as [IncomingMessage];
  const end = () => {
    // The service no longer reads the rest of the body.
    if (!call.writableFinished) call.destroy();
  };
  return {
    status: response.statusCode ?? 0,
    headers: { get: (name) => [response.headers[name]].flat()[0] ?? null },
    body: response,
    text: () => text(response).finally(end),
  };
};

/** Whether a socket is not connected yet. TLS takes a second step. */
function isConnecting(socket: { connecting: boolean; secureConnecting?: boolean } | null): boolean {
  return socket?.connecting === true || socket?.secureConnecting === true;
}

const CLOSED = 'closed the connection without answering.';
const NO_ROUTE = 'is unreachable: this network has no route to it.';

/** The sentences for servers that speak another protocol; each continues after the address. */
export const NO_TLS = 'does not speak TLS. Try http:// instead of https://.';
export const NO_HTTP = 'does not speak HTTP. Try https:// instead of http://.';

const UNTRUSTED =
  'has a certificate that this machine does not trust. If it is from your own CA, set NODE_EXTRA_CA_CERTS to the CA file.';

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
  EPROTO: 'rejected TLS: it needs another version, another cipher or a client certificate.',
  CERT_HAS_EXPIRED: 'has an expired certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host. Use the host in the certificate.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/**
 * Explains why a call got no answer, and what to do.
 * @param error what `send` threw
 * @param advice what to do if nothing listens on this machine
 */
export function explainNoAnswer(error: unknown, baseUrl: string, advice = ''): string {
  const { code, message } = findReason(error);
  const fault = `${baseUrl} ${explain(code, message) ?? `did not answer: ${code || message}.`}`;
  return code === 'ECONNREFUSED' && isLoopback(baseUrl) ? `${fault}${advice}` : fault;
}

function explain(code: string, message: string): string | undefined {
  // How OpenSSL reports a server that speaks another protocol.
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(message)) return NO_TLS;
  // The HTTP parser has a code for each kind of invalid input.
  if (code.startsWith('HPE_')) return NO_HTTP;
  return NETWORK_FAULTS[code];
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
