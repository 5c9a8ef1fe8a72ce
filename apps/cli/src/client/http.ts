import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What is sent. The timeout is for all of it, the answer included. */
interface Sent {
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  timeoutMs: number;
}

/** How long a connection may take to be made. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Sends a request and reads its answer. No redirection is followed: a POST would arrive as a GET, and the secret
 * elsewhere. It is not fetch because loading that takes a third of a command.
 * @throws the error of Node.js, with its code; `ETIMEDOUT` for no connection and `NO_ANSWER` for no answer in time
 */
export async function send(
  url: string,
  sent: Sent,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { method, headers, body, timeoutMs } = sent;
  // TLS is slow to load, and a service on the same machine has none.
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const call = request(url, { method, headers, timeout: CONNECT_TIMEOUT_MS });
  let late: Error | undefined;
  const end = (code: string) => {
    late = Object.assign(new Error(code), { code });
    call.destroy(late);
  };
  const deadline = setTimeout(() => end('NO_ANSWER'), timeoutMs);
  // Node.js tells of every silence. Once there is a connection, only the deadline counts.
  call.on('timeout', () => call.socket?.connecting && end('ETIMEDOUT'));
  // A refusal may come, and the connection go, while the body is still being sent: the answer counts.
  call.on('error', () => {});
  try {
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  } catch (error) {
    // An answer that has begun only tells that it was cut.
    throw late ?? error;
  } finally {
    clearTimeout(deadline);
    // What is not sent yet has no reader any more.
    if (!call.writableFinished) call.destroy();
  }
}
