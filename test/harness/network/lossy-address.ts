import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { freePort } from './redis.ts';

/** An address of PostgreSQL that, on request, breaks connections after a commit and before its answer. */
export class LossyAddress {
  readonly url: string;
  /** How many more answers to lose. */
  toLose = 0;
  readonly #server: Server;

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  /** Opens an address that forwards to a database. */
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

  /** Stops accepting connections; open ones last until one end closes. */
  close(): void {
    this.#server.close();
  }
}
