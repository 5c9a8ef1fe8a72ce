import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection may still send its first byte once the server closes: a request may be on its way. */
const GRACE_MS = 1_000;

/**
 * Has a server that closes end the connections on which nothing was ever sent. Browsers open some in advance, and node
 * ends only those that have had a request: the others would keep the server open until they time out. Returns what to
 * call when closing begins.
 */
export function endSilentConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    const timer = setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, GRACE_MS);
    server.once('close', () => clearTimeout(timer));
  };
}
