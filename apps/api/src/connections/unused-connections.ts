import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection can still send its first byte after the server begins to close: a request may be in flight. */
const GRACE_MS = 1_000;

/**
 * Makes a closing server end connections on which nothing was ever sent. Browsers open some in advance. Node.js only
 * ends connections that have carried a request; the others would keep the server open until they time out. Returns a
 * function to call when closing begins.
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
