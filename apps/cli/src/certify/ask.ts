import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Sends a request on a connection of its own. Returns the head of the answer. */
export function ask(
  url: string,
  given: { method: string; headers: OutgoingHttpHeaders; body: string | Buffer; signal: AbortSignal },
): Promise<IncomingMessage> {
  const { method, headers, body, signal } = given;
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false, signal }).on('response', resolve).on('error', reject).end(body);
  });
}
