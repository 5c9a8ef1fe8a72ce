import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { freePort } from './redis.ts';

/**
 * An address of PostgreSQL at which connections break when a commit was carried out, before its answer, while it is
 * told so.
 */
export class LossyAddress {
  readonly url: string;
  /** How many answers it loses yet. */
  toLose = 0;
  readonly #server: Server;

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  /** Opens an address that leads to a database. */
  static async open(databaseUrl: string): Promise<LossyAddress> {
    const { hostname, port } = new URL(databaseUrl);
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${await freePort()}`;
    const address: LossyAddress = new LossyAddress(
      url.href,
      createServer((client) => {
        const server = connect(Number(port), hostname);
        client.on('error', () => {}).on('close', () => server.destroy());
        server.on('error', () => {}).on('close', () => client.destroy());
        client.pipe(server);
        server.on('data', (answer) => {
          if (address.toLose > 0 && answer.includes('COMMIT\0')) {
            address.toLose--;
            client.destroy();
          } else client.write(answer);
        });
      }),
    );
    await once(address.#server.listen(Number(url.port), '127.0.0.1'), 'listening');
    return address;
  }

  /** Takes no more connections; those that are open go on until one of their ends closes. */
  close(): void {
    this.#server.close();
  }
}
