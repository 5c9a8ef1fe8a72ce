import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What is sent. The timeout is for all of it, the answer included. */
interface Sent {
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  timeoutMs: number;
}

/** How long a connection may take to be made, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Sends a request and reads its answer. No redirection is followed: a POST would arrive as a GET, and the secret
 * elsewhere. It is not fetch because loading that takes a third of a command's
 * processor time.
 * @throws the error of Node.js, with its code; `ETIMEDOUT` for no connection and `NO_ANSWER` for no answer in time
 */
export async function send(
  url: string,
  sent: Sent,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { method, headers, body, timeoutMs } = sent;
  // TLS is slow to load, and a service on the same machine has none.
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const ending = new AbortController();
  const end = (code: string) => ending.abort(Object.assign(new Error(code), { code }));
  const { signal } = ending;
  const call = request(url, { method, headers, signal });
  const timers = [
    setTimeout(() => isConnecting(call.socket) && end('ETIMEDOUT'), CONNECT_TIMEOUT_MS),
    setTimeout(() => end('NO_ANSWER'), timeoutMs),
  ];
  // A refusal may come, and the connection go, while the body is still being sent: the answer counts.
  call.on('error', () => {});
  try {
    call.end(body);
    const [response] = (await once(call, 'response', { signal })) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    // What is not sent yet has no reader any more.
    if (!call.writableFinished) call.destroy();
  }
}

/** Sockets of TLS have a second step to go. */
function isConnecting(socket: { connecting: boolean; secureConnecting?: boolean } | null): boolean {
  return socket?.connecting === true || socket?.secureConnecting === true;
}
