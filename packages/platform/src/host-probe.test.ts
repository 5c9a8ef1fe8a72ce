import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readHosts } from './database-hosts.ts';
import { HostProbe } from './host-probe.ts';

/** What a probe takes hosts for that are no PostgreSQL, or not one that lets it in. */

let server: Server;
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Looks at a server that does so with each connection. */
async function lookAt(connected: (socket: Socket) => void, parameters: string) {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    connected(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const [host] = readHosts(`postgres://me:secret@127.0.0.1:${port},elsewhere/orders${parameters}`);
  const probe = new HostProbe(host!);
  try {
    return await probe.look();
  } finally {
    probe.close();
  }
}

/** The error that PostgreSQL sends: its length, its fields, each with its letter. */
function sendError(socket: Socket, code: string): void {
  const fields = Buffer.from(`SFATAL\0C${code}\0Mno entry for you\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  socket.end(Buffer.concat([head, fields]));
}

/** Agrees to TLS, and then does not speak it. */
function speakNonsense(socket: Socket): void {
  socket.write('S');
  socket.once('data', () => socket.end('what?'));
}

it.each<[what: string, connected: (socket: Socket) => void, parameters: string, sighting: object]>([
  [
    'takes connections and says nothing',
    () => {},
    '',
    { state: 'silent', why: expect.stringContaining('does not answer') },
  ],
  ['hangs up', (socket) => socket.destroy(), '', { state: 'silent' }],
  [
    'refuses TLS',
    (socket) => socket.once('data', () => socket.write('N')),
    '?sslmode=verify-full',
    { state: 'closed', why: 'answers: The server does not support SSL connections' },
  ],
  [
    'speaks something else than TLS',
    (socket) => socket.once('data', () => speakNonsense(socket)),
    '?sslmode=verify-full',
    { state: 'closed' },
  ],
  [
    'lets nobody in',
    (socket) => socket.once('data', () => sendError(socket, '28000')),
    '',
    { state: 'closed', why: 'answers: no entry for you' },
  ],
  ['starts', (socket) => socket.once('data', () => sendError(socket, '57P03')), '', { state: 'away' }],
])('a host that %s', async (_, connected, parameters, sighting) => {
  expect(await lookAt(connected, parameters)).toMatchObject(sighting);
});
