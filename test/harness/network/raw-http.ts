import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer read from a raw connection. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Opens a connection to a service, to send what an HTTP client never would. */
export async function openSocket(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes (one per character) on a new connection. Returns the answers until the service closes it. */
export async function sendRaw(baseUrl: string, text: string): Promise<RawAnswer[]> {
  const socket = await openSocket(baseUrl);
  socket.write(text, 'latin1');
  return await readAnswers(socket);
}

/** Returns the answers on a connection until the service closes it. */
export async function readAnswers(socket: Socket): Promise<RawAnswer[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  socket.destroy();
  return parse(Buffer.concat(chunks).toString('latin1'));
}

/** Returns a request with these header lines that asks to close the connection. */
export const request = (line: string, ...headers: string[]) =>
  `${[line, 'Host: a', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

function parse(text: string): RawAnswer[] {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return [];
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = text.slice(end + 4);
  const length = Number(headers['content-length'] ?? 0);
  const answer = { status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(0, length) };
  return [answer, ...parse(rest.slice(length))];
}
