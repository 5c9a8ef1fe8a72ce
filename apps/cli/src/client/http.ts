import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request. The timeout covers everything up to the end of the answer. */
interface Sent {
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  timeoutMs: number;
}

/** The time for connecting, including TLS. */
const CONNECT_TIMEOUT_MS = 10_000;
/** In UTF-16 units. No answer is as long: the longest is the preview of a batch with the most elements. */
const MAX_ANSWER_LENGTH = 128 * 1024 * 1024;

/**
 * Sends a request and reads its answer. Follows no redirect: a POST would become a GET, and the secret would go
 * elsewhere. Does not use fetch: loading it takes a third of a command's processor time.
 * @throws the error of Node.js, with its code; `ETIMEDOUT` or `NO_ANSWER` if connecting or the answer timed out,
 *   `TOO_LONG` if the answer does not end
 */
export async function send(
  url: string,
  sent: Sent,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { method, headers, body, timeoutMs } = sent;
  // TLS is slow to load, and a local service does not need it.
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const ending = new AbortController();
  const end = (code: string) => ending.abort(Object.assign(new Error(code), { code }));
  const { signal } = ending;
  const call = request(url, { method, headers, signal });
  const timers = [
    setTimeout(() => isConnecting(call.socket) && end('ETIMEDOUT'), CONNECT_TIMEOUT_MS),
    setTimeout(() => end('NO_ANSWER'), timeoutMs),
  ];
  // The service may refuse, and close the connection, while the body is still being sent: the answer counts.
  call.on('error', () => {});
  try {
    call.end(body);
    const [response] = (await once(call, 'response', { signal })) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_ANSWER_LENGTH) throw Object.assign(new Error('TOO_LONG'), { code: 'TOO_LONG' });
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    // The service no longer reads the rest of the body.
    if (!call.writableFinished) call.destroy();
  }
}

/** Whether a socket is not connected yet. TLS takes a second step. */
function isConnecting(socket: { connecting: boolean; secureConnecting?: boolean } | null): boolean {
  return socket?.connecting === true || socket?.secureConnecting === true;
}
